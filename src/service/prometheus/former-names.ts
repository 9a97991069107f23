/** The names that servers had before the file changed names: requests by those still reach them, and what the ledger has of them goes along. */
import type { Registry, Server } from '../store/registry.ts'
import type { Names } from './names.ts'
import type { Labels } from './naming.ts'

/** A server that is called otherwise now. */
export type Move = { readonly from: string; readonly to: string }

export type Listed = {
  readonly registry: Registry
  /** Whether labels give a server this name now. */
  has(hostname: string): boolean
}

/** Former names, each with those that took its place. */
type Aliases = Map<string, Set<string>>

export type FormerNames = {
  /** The one server that had this name; undefined if several had it, or none that was seen. */
  nowNamed(former: string): string | undefined
  /** Takes the current labels: of `up` (null: not queried this time), and of what fires. */
  see(up: readonly Labels[] | null, alerts: readonly Labels[]): void
  /** Roles, groups and switches go along with the name; those of a name that several had stay where they are. */
  move(listed: Listed): readonly Move[]
}

export function openFormerNames({
  names,
  own,
}: {
  readonly names: Pick<Names, 'of' | 'formerOf'>
  readonly own: Registry
}): FormerNames {
  let ofUp: Aliases = new Map()
  let aliases: Aliases = new Map()

  function add(found: Aliases, all: readonly Labels[]): Aliases {
    for (const labels of all) {
      const former = names.formerOf(labels)
      if (former === null) continue
      found.set(former, (found.get(former) ?? new Set()).add(names.of(labels).hostname))
    }
    return found
  }

  function nowNamed(former: string): string | undefined {
    const [now, ...others] = aliases.get(former) ?? []
    return others.length === 0 ? now : undefined
  }

  function moveOne({ hostname: from, notifications, noDataGroup }: Server, to: Server): Move {
    own.update(own.addServer(to, []), { notifications, noDataGroup })
    for (const [role, members] of own.roles()) if (members.includes(from)) own.addRole(to.hostname, role)
    own.deleteServer(from)
    return { from, to: to.hostname }
  }

  return {
    nowNamed,
    see(up, alerts) {
      if (up !== null) ofUp = add(new Map(), up)
      aliases = add(new Map([...ofUp].map(([former, now]) => [former, new Set(now)])), alerts)
    },
    move({ registry, has }) {
      if (aliases.size === 0) return []
      return own.servers().flatMap((stored) => {
        const now =
          stored.kind === 'prometheus' && !has(stored.hostname) ? nowNamed(stored.hostname) : undefined
        const to = now === undefined || !has(now) ? undefined : registry.server(now)
        return to === undefined ? [] : [moveOne(stored, to)]
      })
    },
  }
}
