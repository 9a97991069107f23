/** Names of servers in a change, as the monitoring API knows them: case and display names are looked up once, before all else. */
import type { Change, OneServer, ServerRef } from '../../domain/request/intent.ts'
import type { Servers } from '../servers.ts'

type Named = Extract<OneServer, { by: 'name' }>

/** A deletion is not among them: its name is typed twice, exactly. Alerts are found by `alertOf`, where an id comes first. */
export async function withHostnames(change: Change, servers: Pick<Servers, 'meant'>): Promise<Change> {
  const hostsOf = async <Ref extends ServerRef>(refs: readonly Ref[]): Promise<readonly (Ref | Named)[]> => {
    const names = refs.flatMap((ref) => (ref.by === 'name' ? [ref.name] : []))
    if (names.length === 0) return refs
    const meant = [...(await servers.meant(names))]
    return refs.map((ref) => (ref.by === 'name' ? { by: 'name', name: meant.shift() ?? ref.name } : ref))
  }
  const hostOf = async (ref: OneServer): Promise<OneServer> => (await hostsOf([ref]))[0] ?? ref
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
      return { ...change, server: (await servers.meant([change.server]))[0] ?? change.server }
    default:
      return change
  }
}
