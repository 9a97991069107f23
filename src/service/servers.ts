/** Servers, roles, the account's switch, markers and mutes: what people change by the API, beside the alerts. */
import { type Mute, quoted, type ReadServer, Refusal, type ServerKind, type Source } from './source.ts'
import { type Db, metaOf, openShelf, type Shelf, setMeta } from './store.ts'

const serversMax = 5000
const rolesMax = 1000
const markersMax = 1000
const hostCharsMax = 253
const day = 24 * 60 * 60_000

export type Server = {
  readonly host: string
  readonly environment: string
  readonly kind: ServerKind
  readonly notifications: boolean
  readonly noDataGroup: string | null
  /** Deleted by a person: it stays away until it is pushed, added by hand, or seen again after a day. */
  readonly isDeleted: boolean
}
/** `by`: who set it, where they said so. */
export type Marker = { readonly atMs: number; readonly notes: string; readonly by?: string }

export function isHost(text: string): boolean {
  const isWritable = !/\p{Cc}/u.test(text) && text.isWellFormed()
  return isWritable && text.length <= hostCharsMax && !['', '.', '..'].includes(text)
}

export class Servers {
  private readonly db: Db
  private readonly servers: Shelf<Server>
  private readonly members: Shelf<readonly string[]>
  private readonly marks: Shelf<Marker>
  private nextMark: number
  /** When a reading had it, and what it said, in this run. */
  private readonly seen = new Map<string, { atMs: number; said: string }>()

  constructor(db: Db) {
    this.db = db
    this.servers = openShelf<Server>(db, 'servers', serversMax)
    this.members = openShelf<readonly string[]>(db, 'roles', rolesMax)
    this.marks = openShelf<Marker>(db, 'markers', markersMax + 1)
    this.nextMark = Math.max(0, ...[...this.marks.all().keys()].map(Number)) + 1
  }

  all(): readonly Server[] {
    return [...this.servers.all().values()]
      .filter(({ isDeleted }) => !isDeleted)
      .sort((a, b) => (a.host < b.host ? -1 : 1))
  }

  get(host: string): Server | undefined {
    const server = this.servers.get(host)
    return server?.isDeleted === false ? server : undefined
  }

  isDeleted(host: string): boolean {
    return this.servers.get(host)?.isDeleted === true
  }

  /** Throws a 404 that names it. */
  known(host: string): Server {
    const server = this.get(host)
    if (server === undefined) throw new Refusal(404, `no server is called ${quoted(host)}`)
    return server
  }

  /** A round of the loop: new ones come, roles of a source are added. Nothing leaves by a reading; what does not fit is left out. */
  take(read: readonly ReadServer[], nowMs: number): void {
    this.db.transaction(() => {
      for (const server of read) {
        const said = JSON.stringify(server)
        const before = this.seen.get(server.host)
        this.seen.set(server.host, { atMs: nowMs, said })
        const isAway = this.isDeleted(server.host)
        const isBack = before !== undefined && nowMs - before.atMs > day
        if (isAway ? !isBack : before?.said === said) continue
        try {
          this.add(server)
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
        }
      }
    })()
  }

  /** Those of a Prometheus that were not seen for 30 days, and of which nobody set anything: pods have new names again and again. */
  forget(nowMs: number): void {
    for (const { host, kind, notifications, noDataGroup } of [...this.servers.all().values()]) {
      const seen = this.seen.get(host) ?? { atMs: nowMs, said: '' }
      this.seen.set(host, seen)
      const isOld = nowMs - seen.atMs >= 30 * day
      if (kind === 'prometheus' && isOld && notifications && noDataGroup === null) {
        this.remove(host)
        this.servers.remove(host)
        this.seen.delete(host)
      }
    }
  }

  add({ host, environment, kind, roles }: ReadServer): void {
    const expected = `a name of 1 to ${hostCharsMax} characters, none of them for control`
    if (!isHost(host)) throw new Refusal(422, `server: expected ${expected}; came ${quoted(host)}`)
    const known = this.servers.get(host)
    const kept = { notifications: true, noDataGroup: null, ...known }
    const next = { ...kept, host, environment, kind, isDeleted: false }
    if (known === undefined || JSON.stringify(known) !== JSON.stringify(next)) this.servers.put(host, next)
    for (const role of roles) this.addRole(host, role)
  }

  change(host: string, fields: Partial<Server>): void {
    const server = this.servers.get(host)
    if (server !== undefined) this.servers.put(host, { ...server, ...fields })
  }

  remove(host: string): void {
    this.db.transaction(() => {
      this.change(host, { isDeleted: true, notifications: true, noDataGroup: null })
      for (const [role, members] of [...this.members.all()]) {
        const others = members.filter((one) => one !== host)
        if (others.length < members.length) this.members.put(role, others)
      }
    })()
  }

  /** Role names to hosts, both sorted. A role stays when its last server leaves. */
  roles(): ReadonlyMap<string, readonly string[]> {
    return new Map([...this.members.all()].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  rolesOf(host: string): readonly string[] {
    return [...this.roles()].flatMap(([role, hosts]) => (hosts.includes(host) ? [role] : []))
  }

  addRole(host: string, role: string): 'has' | 'joined' | 'created' {
    const members = this.members.get(role)
    if (members?.includes(host)) return 'has'
    this.members.put(role, [...(members ?? []), host].sort())
    return members === undefined ? 'created' : 'joined'
  }

  account(): boolean {
    return metaOf(this.db, 'account') !== 'off'
  }

  setAccount(isOn: boolean): void {
    setMeta(this.db, 'account', isOn ? 'on' : 'off')
  }

  markers(): readonly Marker[] {
    return [...this.marks.all().values()].sort((a, b) => a.atMs - b.atMs)
  }

  addMarker(marker: Marker): void {
    this.marks.put(String(this.nextMark), marker)
    this.marks.remove(String(this.nextMark - markersMax))
    this.nextMark += 1
  }
}

/** What clients asked to be silent: the account, servers, single alerts. What it means at an Alertmanager is the source's affair. */
export class Mutes {
  private readonly shelf: Shelf<Mute>
  private readonly source: Pick<Source, 'reconcileMutes'>

  constructor(shelf: Shelf<Mute>, source: Pick<Source, 'reconcileMutes'>) {
    this.shelf = shelf
    this.source = source
  }

  get(id: string): Mute | undefined {
    return this.shelf.get(id)
  }

  ids(): string[] {
    return [...this.shelf.all().keys()]
  }

  /** Waits for the Alertmanager's yes where there is one. After a failure nothing is muted that was not: the loop ends what it took all the same. */
  async set(mute: Mute): Promise<void> {
    const before = this.shelf.get(mute.id)
    this.shelf.put(mute.id, mute)
    try {
      await this.reconcile(mute.id)
    } catch (error) {
      if (before === undefined) this.shelf.remove(mute.id)
      else this.shelf.put(mute.id, before)
      throw error
    }
  }

  /** After a failure it ends as soon as it can. */
  async end(id: string): Promise<void> {
    this.shelf.remove(id)
    await this.reconcile(id)
  }

  async reconcile(asked?: string): Promise<void> {
    await this.source.reconcileMutes(() => [...this.shelf.all().values()], asked)
  }

  forgetOver(nowMs: number): void {
    for (const { id, untilMs } of [...this.shelf.all().values()])
      if (untilMs !== null && untilMs <= nowMs) this.shelf.remove(id)
  }
}
