/** `/mon mutes`: what is muted and what is planned, by whom, until when and why; in front of an Alertmanager also what others silenced. */
import type { KnownBlock } from '@slack/types'
import { ApiFailure, type ApiMute } from '../api/port.ts'
import { isInForce, isPlanned } from '../decide/hidden.ts'
import { button, context, section, viewOfBlocks } from '../view/blocks.ts'

import { muteGroups, muteRow } from '../view/mutes.ts'
import type { Scene } from '../view/scene.ts'
import { because, count, date, escaped, person } from '../view/words.ts'
import type { Action, Context } from './action.ts'
import { pageBlocks, pageOf, readPage } from './queries/answers.ts'

/** Each takes two blocks of Slack's fifty. */
const onPage = 15
const matchersCharsMax = 200

/** What others silenced, and why that could not be read. */
type Silences = { readonly others: readonly ApiMute[]; readonly why: string | null }

export const mutes: Action = {
  names: ['mutes'],
  usage: 'mutes',
  example: 'mutes',
  does: 'Lists what is muted and planned: by whom, until when and why',
  isCommon: true,
  permission: null,
  command: async (words, context) => {
    const silences = await readSilences(context)
    const { page } = readPage(words)
    return { kind: 'say', render: (scene) => viewOfBlocks(mutesBlocks(scene, silences, page)) }
  },
}

async function readSilences({ scene, reads }: Context): Promise<Silences> {
  if (!scene().canMuteAlerts) return { others: [], why: null }
  try {
    const { silences } = await reads.monitor.mutes()
    return { others: silences.filter(({ isOurs }) => !isOurs), why: null }
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    return { others: [], why: error.message }
  }
}

function mutesBlocks(scene: Scene, { others, why }: Silences, page: number): KnownBlock[] {
  const { nowMs } = scene
  const running = muteGroups(scene, (mute) => isInForce(mute, nowMs))
  const planned = muteGroups(scene, (mute) => isPlanned(mute, nowMs))
  const rows = [
    ...running.map((group) => (at: number) => muteRow(group, at, scene)),
    ...others.map((silence) => silenceRow(silence)),
    ...planned.map((group) => (at: number) => muteRow(group, at, scene)),
  ]
  const shown = pageOf(rows, page, onPage)
  return [
    section(`*${titleOf(running.length, planned.length, others.length)}*`),
    ...(why === null ? [] : [section(`⚠️ Couldn't read the silences of others: ${escaped(why)}`)]),
    ...shown.items.flatMap((row, at) => row(at)),
    ...pageBlocks(shown, 'mutes'),
    ...(scene.canMuteAlerts ? [] : context(["Mutes made elsewhere can't be seen here"])),
  ]
}

function titleOf(running: number, planned: number, silences: number): string {
  if (running + planned + silences === 0) return 'Nothing is muted'
  const parts = [
    running === 0 && silences > 0 ? '' : count(running, 'mute'),
    silences === 0 ? '' : `${count(silences, 'silence')} of others`,
    planned === 0 ? '' : `${planned} planned`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}

/** `End…` asks first. */
function silenceRow(silence: ApiMute): (at: number) => KnownBlock[] {
  const { id, by, untilMs, why, matchers, hides } = silence
  const until = untilMs === null ? '' : ` until ${date(untilMs)}`
  const what = escaped(matchers.join(', '), matchersCharsMax)
  const line = `🔕 ${by === null ? 'Somebody' : person(by)} silenced *${what}*${until}${because(why ?? '')}`
  const end = button({ id: 'end_silence', label: 'End…', value: { mutes: [id], words: what } })
  return (at) => [section(`${line}\nHides ${count(hides, 'alert')}`, end, `silence:${at}`)]
}
