/** Names of servers in a change, as the monitoring API knows them: case and display names are looked up once, before all else. */
import type { Change, OneServer, ServerRef } from '../../domain/intent.ts'
import type { Servers } from '../servers.ts'

type Named = Extract<OneServer, { by: 'name' }>

/** A deletion is not among them: its name is typed twice, exactly. Alerts are found by `alertOf`, where an id comes first. */
export async function withHostnames(change: Change, servers: Pick<Servers, 'meant'>): Promise<Change> {
  const hostOf = async <Ref extends ServerRef>(ref: Ref): Promise<Ref | Named> =>
    ref.by === 'name' ? { by: 'name', name: await servers.meant(ref.name) } : ref
  const hostsOf = <Ref extends ServerRef>(refs: readonly Ref[]) => Promise.all(refs.map((ref) => hostOf(ref)))
  switch (change.kind) {
    case 'mute_server':
      return { ...change, servers: await hostsOf(change.servers) }
    case 'unmute_server': {
      const several = change.servers === undefined ? {} : { servers: await hostsOf(change.servers) }
      return { ...change, server: await hostOf(change.server), ...several }
    }
    case 'add_roles':
      return { ...change, server: await hostOf(change.server) }
    case 'set_no_data':
      return { ...change, server: await servers.meant(change.server) }
    default:
      return change
  }
}
