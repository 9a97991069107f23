/** The source in front of a Prometheus and its Alertmanagers; an Alertmanager alone, a Grafana, a VictoriaMetrics by the same answers. */
import { randomBytes } from 'node:crypto'
import type { Ledger } from '../ledger.ts'
import type { Servers } from '../servers.ts'
import type {
  Course,
  MetricKey,
  Mute,
  MutedBy,
  Reading,
  Silence,
  Source,
  StoredAlert,
  Window,
} from '../source.ts'
import { type Db, metaOf, openShelf, type Shelf, setMeta } from '../store.ts'
import { type Access, type Asker, openAsker } from './ask.ts'
import type { AmSilence, Matcher } from './look.ts'
import { isMatchedBy, matchersOfAlert, parseMatcher, writtenMatcher } from './matchers.ts'
import { Naming } from './naming.ts'
import { readPast } from './past.ts'
import { Plots } from './plots.ts'
import { Reader } from './read.ts'
import { type Held, Silences } from './silences.ts'
import { silenceWords, withoutToken } from './told.ts'

export type PrometheusOptions = {
  /** Null: an Alertmanager alone, without rules: values and charts are missing. */
  readonly url: URL | null
  /** Where the rules are, if not there. */
  readonly rulers: readonly URL[]
  readonly alertmanagers: readonly URL[]
  readonly access: Access
  readonly managerAccess: Access
  /** Globs on jobs whose own pod is never the server of what they report, besides kube-state-metrics, `*blackbox*` and exporters of hosts. */
  readonly reporters: readonly string[]
}

export type PrometheusParts = {
  readonly ledger: Ledger
  readonly servers: Servers
  readonly mutes: Shelf<Mute>
  readonly nowMs: () => number
  readonly report: (line: string) => void
  readonly everyMs: number
}

const heldMax = 2000

export class PrometheusSource implements Source {
  readonly kind = 'prometheus'
  readonly everyMs: number
  readonly proofs = 2
  readonly mutes: Source['mutes']
  private readonly parts: PrometheusParts
  private readonly engine: Asker | null
  private readonly rulers: readonly Asker[]
  private readonly managers: readonly Asker[]
  private readonly naming: Naming
  private readonly silences: Silences
  private readonly reader: Reader
  private readonly plots: Plots
  private isPastRead: boolean

  constructor(db: Db, parts: PrometheusParts, options: PrometheusOptions) {
    const { url, rulers, alertmanagers, access, managerAccess, reporters } = options
    const { ledger, nowMs } = parts
    this.parts = parts
    this.everyMs = parts.everyMs
    this.engine = url === null ? null : openAsker('Prometheus', url, access)
    const others = rulers.map((ruler) => openAsker('Ruler', ruler, access))
    this.rulers = others.length > 0 || this.engine === null ? others : [this.engine]
    this.managers = alertmanagers.map((manager) => openAsker('Alertmanager', manager, managerAccess))
    this.naming = new Naming(reporters)
    const { engine, managers, naming } = this
    const installation = metaOf(db, 'installation') ?? randomBytes(6).toString('hex')
    setMeta(db, 'installation', installation)
    this.silences = new Silences({
      managers,
      held: openShelf<Held>(db, 'silences', heldMax),
      installation,
      nowMs,
      waysOf: (host) => this.waysOf(host),
      onEnded: (id) => this.forget(id),
    })
    const wordsOf = (silence: AmSilence) => this.silenceOf(silence)
    this.reader = new Reader({ engine, rulers: this.rulers, managers, naming, nowMs, ledger, wordsOf })
    this.plots = new Plots(engine, naming, this.reader, nowMs)
    this.isPastRead = !ledger.isEmpty() || engine === null
    this.mutes =
      managers.length === 0
        ? null
        : {
            list: () => this.listed(),
            matchersOf: (alert) => this.matchersOf(alert),
            hides: (matchers) => this.hidden(matchers.map(parseMatcher)),
            end: (id) => this.silences.end(id),
          }
  }

  async read(): Promise<Reading> {
    const { ledger, nowMs, report } = this.parts
    const reading = await this.reader.read()
    if (this.isPastRead || this.engine === null) return reading
    this.isPastRead = true
    const open = new Set(reading.alerts.map(({ key }) => key))
    await readPast(this.engine, nowMs(), (labels) => ({
      key: this.reader.identity.keyOf(labels),
      host: this.naming.nameOf(labels).host ?? 'everywhere',
    }))
      .then((past) => ledger.addPast(past.filter(({ key }) => !open.has(key))))
      .catch((error: unknown) => report(`what happened before could not be read: ${String(error)}`))
    return reading
  }

  reconcileMutes(mutes: () => readonly Mute[], asked?: string): Promise<void> {
    return this.managers.length === 0 ? Promise.resolve() : this.silences.reconcile(mutes, asked)
  }

  series(
    key: MetricKey,
    hosts: readonly string[],
    window: Window,
    alert: StoredAlert | null,
  ): Promise<Course | null> {
    return alert === null ? this.plots.ofServers(key, hosts, window) : this.plots.ofAlert(alert, window)
  }

  course(alert: StoredAlert, window: Window): Promise<Course | null> {
    return this.plots.ofAlert(alert, window)
  }

  deleteServer(): void {}

  deleteMetrics(): readonly string[] {
    return []
  }

  state(): object {
    return {
      kind: this.kind,
      prometheus: this.engine?.name ?? null,
      alertmanagers: this.managers.map(({ name }) => name),
      doubts: this.reader.troubles(),
    }
  }

  async stop(): Promise<void> {
    const all = new Set([this.engine, ...this.rulers, ...this.managers])
    await Promise.all([...all].map((one) => one?.close()))
  }

  /** A person ended a mute at the Alertmanager: its switch is on again. */
  private forget(id: string): void {
    const { mutes, servers, report } = this.parts
    const mute = mutes.get(id)
    mutes.remove(id)
    if (mute?.kind === 'account') servers.setAccount(true)
    if (mute?.host !== undefined) servers.change(mute.host, { notifications: true })
    report(`the mute ${id} was ended at the Alertmanager`)
  }

  /** Of ours, what was asked for: the silence itself ends an hour ahead. */
  private silenceOf(silence: AmSilence): MutedBy {
    const mute = this.parts.mutes.get(this.silences.muteOf(silence) ?? '')
    const words = silenceWords(silence, this.silences.isOurs(silence))
    return mute === undefined ? words : { ...words, by: mute.by, untilMs: mute.untilMs, why: mute.why }
  }

  private async listed(): Promise<readonly Silence[]> {
    const active = await this.silences.active()
    return active.map((one) => ({
      ...this.silenceOf(one),
      id: one.id,
      startsMs: one.startsAt,
      why: this.silenceOf(one).why ?? withoutToken(one.comment),
      matchers: one.matchers.map(writtenMatcher),
      alerts: this.hidden(one.matchers),
    }))
  }

  private hidden(matchers: readonly Matcher[]): readonly number[] {
    const open = this.parts.ledger.open()
    return open.filter(({ labels = {} }) => isMatchedBy(labels, matchers)).map(({ id }) => id)
  }

  private matchersOf(alert: StoredAlert): readonly string[] {
    const others = this.parts.ledger
      .open()
      .filter(({ plugin, id }) => plugin === alert.plugin && id !== alert.id)
    return matchersOfAlert(
      alert.labels ?? {},
      others.map(({ labels = {} }) => labels),
    )
  }

  private waysOf(host: string): (readonly string[])[] {
    const labels = [
      ...this.parts.ledger.ofHost(host).map((alert) => alert.labels ?? {}),
      ...this.naming.targetsOf(host),
    ]
    return labels
      .map((one) => this.naming.nameOf(one))
      .flatMap((one) => (one.host === host ? [one.matchers] : []))
  }
}
