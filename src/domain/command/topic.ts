/** The command that a change is asked for with, for who asks how it is written. */
import type { ChangeKind } from '../request/intent.ts'

/** Null where only a button asks for it. */
export const topicOf: Readonly<Record<ChangeKind, string | null>> = {
  mute_server: 'mute',
  unmute_server: 'unmute',
  mute_account: 'mute account',
  unmute_account: 'unmute account',
  extend_mute: null,
  undo_mute: null,
  add_roles: 'role add',
  add_marker: 'marker',
  acknowledge: 'ack',
  acknowledge_all: null,
  add_note: 'note',
  set_no_data: 'nodata',
  delete_server: 'server delete',
  delete_metrics: 'metric delete',
}
