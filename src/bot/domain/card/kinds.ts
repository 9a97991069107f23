/**
 * Defines the kinds of cards: what each shows, and how it is sent to Slack. A new kind is an entry in `CardViews` and one in
 * `cardKinds`; the compiler then asks for its view (store/card/views.ts) and its renderer (slack/render/render.ts).
 */
import { type Alert, isLive, type Note } from '../alert/alert.ts'
import type { Verdicts } from '../alert/rule.ts'
import type { Worth } from '../delivery/delivery.ts'
import type { ranks } from '../delivery/pace.ts'
import type { Mute, Silenced } from '../mute/mute.ts'
import type { PlannedMute } from '../mute/planned.ts'
import type { ToldOutage } from '../outage/outage.ts'
import type { Handoff, Health } from '../request/answer.ts'
import type { AuditEntry, FileMade } from '../request/audit.ts'
import type { ShownLabel } from './details-shown.ts'
import type { CardLink } from './links.ts'

/** A file that was uploaded. */
export type CardPicture = {
  readonly fileId: string
  /** How often Slack refused to show it so far. */
  readonly attempts: number
}

/** Which card it is, and the version that it shows: buttons carry both. */
export type CardStamp = { readonly cardId: string; readonly version: number }

/** How often a problem opened and closed on one card, and since when (epoch milliseconds). */
export type Flaps = { readonly times: number; readonly sinceMs: number }

/** How many entries of its timeline a card shows. */
export const timelineMax = 5

/** When the pager last took a call for it; `isFailing`: it does not take what it is to be told. */
export type CardPage = { readonly toldMs: number | null; readonly isFailing: boolean }

type AlertList = {
  readonly stamp: CardStamp
  readonly alerts: readonly Alert[]
  readonly mention: string | null
  /** Absent where nobody is called for them. */
  readonly page?: CardPage
  /** Those in force that silence any server of its open alerts; of the account, too. */
  readonly mutes: readonly Mute[]
  /** On its rules, once none of them is open; absent before. */
  readonly verdicts?: Verdicts
}

type UnderMute = Silenced & {
  readonly mute: Mute
  /** Open alerts that it hides, critical ones first, then the latest. */
  readonly open: readonly Alert[]
  /** How many open ones on servers with a mute of their own, which keeps them hidden when the account's ends; absent where there are none. */
  readonly stillMuted?: number
  /** Alerts that came since the mute began, whatever became of them. */
  readonly hidden: number
  /** How many of them are known to have closed again. */
  readonly closed: number
  /** One-off alerts (neither open nor closed) that were shown nowhere; latest first. */
  readonly oneoffs: readonly Alert[]
  /** How many more are open in channels other than the card's; absent where that is not asked. */
  readonly elsewhere?: number
}

/** A card in another channel than what points to it. */
type CardAbove = {
  readonly channel: string
  readonly ts: string | null
  /** Added when it is rendered, where Slack says it. */
  readonly link?: string
}

/** What a notice of alerts says, and to whom; in the order of their card. */
type AlertNotice = {
  readonly stamp: CardStamp
  readonly alerts: readonly Alert[]
  readonly mention: string | null
} & (
  | {
      /** These became critical while they were open; in the thread of the first one's card. */
      readonly topic: 'became_critical'
    }
  | {
      /** Nobody has acknowledged this alert yet, or these of a list. */
      readonly topic: 'unacknowledged'
      /** Is it about a list, however many of it wait? */
      readonly isOfList: boolean
      /** The alert's card, if that is in another channel. */
      readonly above: CardAbove | null
    }
  | {
      /** Somebody handed these to a person, whom it tells in a direct message. */
      readonly topic: 'handed'
      readonly to: string
      /** The audit row of it; null where it is not kept any more. */
      readonly entry: AuditEntry | null
      readonly isOfList: boolean
      /** Their card; null where a mute hides them. */
      readonly above: CardAbove | null
    }
  | {
      /** An alert that came back on the card it had, which called nobody, and has stayed open since. */
      readonly topic: 'flap_reminder'
      readonly flaps: Flaps | null
    }
  | {
      /** Somebody acknowledged these long ago: are they still on it? */
      readonly topic: 'stale_ack'
      readonly owner: string
      readonly askedMs: number
    }
  | {
      /** The pager could not be told of these. */
      readonly topic: 'page_failed'
      readonly sinceMs: number
      readonly why: string
    }
)

/** A change that somebody made, announced to everyone; in a thread, or in the channel where there is none. */
type ChangeNotice = {
  readonly topic: 'change_notice'
  readonly entry: AuditEntry
  /** It is in the thread of the card of the one alert that it is about. */
  readonly isAlone?: boolean
}

/** The whole of what the alert's author wrote, where its card has no room for it; in the card's thread. */
type DescriptionNotice = { readonly topic: 'description'; readonly alert: Alert }

/** The pager takes again what it is told, which it did not from then until then. */
type PageWorksNotice = { readonly topic: 'page_works'; readonly sinceMs: number; readonly untilMs: number }

/** A file that somebody asked for, for all to see. `entry`: who asked, about what, and the file or why there is none. */
type FileNotice = { readonly topic: 'file'; readonly entry: AuditEntry }

/** The report at its time. `entry`: of what time, the numbers, and the file. `health`: added when it is rendered. */
type ReportNotice = { readonly topic: 'report'; readonly entry: AuditEntry; readonly health?: Health }

/** The handoff at a change of shift, as it is when it is posted. `entry`: of the change. `handoff`: added when it is rendered. */
type HandoffNotice = { readonly topic: 'handoff'; readonly entry: AuditEntry; readonly handoff?: Handoff }

type Notice =
  | AlertNotice
  | ChangeNotice
  | DescriptionNotice
  | PageWorksNotice
  | FileNotice
  | ReportNotice
  | HandoffNotice

export type NoticeTopic = Notice['topic']

/** A notice of this topic. */
export type NoticeView<Topic extends NoticeTopic = NoticeTopic> = Extract<Notice, { readonly topic: Topic }>

/** All that is needed to draw a card of each kind, and nothing of Slack. */
type CardViews = {
  /** One alert, or a run of flaps of one subject. */
  alert: {
    readonly stamp: CardStamp
    /** The newest one where several are folded into the card. */
    readonly alert: Alert
    /** How often this alert has come within seven days, this one counted. */
    readonly timesThisWeek: number
    readonly picture: CardPicture | null
    readonly mention: string | null
    /** Absent where nobody is called for it. */
    readonly page?: CardPage
    /** Who had it, or the alert on this card before it; null: nobody. */
    readonly ackedBefore: string | null
    /** What silences its server now. */
    readonly mute: Mute | null
    /** Null where the card holds one alert only. */
    readonly flaps: Flaps | null
    /** Who did what about it (done, by people), earliest first; at most `timelineMax`. */
    readonly timeline: readonly AuditEntry[]
    readonly notes: number
    /** What was written about it last. */
    readonly lastNote: string | null
    /** Others that are open on its server, newest first. */
    readonly alsoOpen: readonly Alert[]
    /** When its trouble came last on another card, how it ended, and what was written about it last. */
    readonly lastTime: { readonly alert: Alert; readonly note: string | null } | null
    /** What people think of it; absent while it is open. */
    readonly verdicts?: Verdicts
    /** The alert's own links, then the policy's; the first two are buttons. */
    readonly links: readonly CardLink[]
    /** Those that the policy wants on cards, as far as the alert has them. */
    readonly labels: readonly ShownLabel[]
  }
  /** Many alerts that were found open at once; its thread lists them. */
  summary: AlertList
  /** Many alerts that came at once; like a summary, and while the storm lasts what still comes joins it. */
  storm: AlertList
  /** One reply in the thread of a summary or a storm. */
  page: {
    readonly alerts: readonly Alert[]
    readonly page: number
    /** How many its card has by now. */
    readonly pages: number
    /** Who is to be called for what this page added, where the card itself did not call them; a reply notifies, an edit does not. */
    readonly mention: string | null
  }
  /** The API could not be read: since when and why, and once it can be again, what was found. Earliest first; only the last one may still last. */
  outage: { readonly outages: readonly ToldOutage[] }
  /** What somebody wrote about an alert, in its thread. `about`: the alert, where the message above it is not of this one alone. */
  note: { readonly note: Note; readonly about: Alert | null }
  /** Something that is said once. */
  notice: Notice
  /** A mute is about to end: what is open, and buttons to extend it or to end it now. */
  mute_expiring: UnderMute & { readonly stamp: CardStamp; readonly picture: CardPicture | null }
  /** A mute has ended: what is still open. */
  mute_ended: UnderMute
  /** A picture that came after its card, in the thread: who reads the channel has access to it then (docs/slack.md#pictures). */
  picture: { readonly alert: Alert; readonly fileId: string }
  /** What is open, who muted what, and how the bot is; one a channel, kept up to date. */
  board: {
    /** What its channel lists, critical ones first, then the latest. */
    readonly open: readonly Alert[]
    /** Those of which nobody knows whether they are open; absent where there are none. */
    readonly lost?: readonly Alert[]
    readonly mutes: readonly Mute[]
    /** What is planned for later; absent where nothing is. */
    readonly planned?: readonly PlannedMute[]
    /** Of other channels only counts; absent where there is no other. */
    readonly elsewhere?: { readonly open: number; readonly muted: number }
    readonly health: Health
  }
}

export type CardKind = keyof CardViews

/** What a card of this kind shows; without a kind, of any. */
export type CardView<Kind extends CardKind = CardKind> = {
  [One in Kind]: { readonly kind: One } & CardViews[One]
}[Kind]

/** What the store knows nothing of: it is added when the card is rendered. */
type AddedLate = { readonly alert: 'links' | 'labels'; readonly board: 'health' }

/** A card as the store gives it; links, labels and the bot's health are added when it is rendered. */
export type StoredView<Kind extends CardKind = CardKind> = {
  [One in Kind]: { readonly kind: One } & (One extends keyof AddedLate
    ? Omit<CardViews[One], AddedLate[One]>
    : CardViews[One])
}[Kind]

/** How a card is sent to Slack. */
export type Treatment = {
  /**
   * How urgent its post is. `opening`: while what it tells of is open, afterwards as little as what is said once. `picture`: it
   * says nothing new, and nobody misses it.
   */
  readonly post: 'opening' | 'listing' | 'once' | 'picture'
  /** How urgent an update is. `alert`: by what has changed, the alert itself or what is around it. */
  readonly update: Extract<keyof typeof ranks, 'alert' | 'storm' | 'page' | 'board'>
  /** How long it rests after it was shown, so that what changes meanwhile is shown together. */
  readonly restMs: number
  /** What must be stored for it to be shown: its alerts, or the thing with its `subjectId`. */
  readonly subject: 'alerts' | 'note' | 'entry' | 'mute' | 'outage' | 'none'
  /** What makes it dirty, beside a change of its own alerts and of its subject; null: nothing. */
  readonly dirtiedBy: 'mutes_of_its_alerts' | 'any_alert_or_mute' | null
  /** It is shown in the channel as well as in its thread, because a reply notifies only those who follow the thread. */
  readonly isBroadcast: boolean
  /** It is always there and always tried again; it is never news. */
  readonly isPermanent: boolean
}

/** What a lost message of this kind is worth (priority for posting it again). `postedMs`: when its last post was begun. */
type WorthOf<Kind extends CardKind> = (view: StoredView<Kind>, postedMs: number | null) => Worth

/** What is said once: another try to say it is all that can follow. */
const once = {
  post: 'once',
  update: 'storm',
  restMs: 0,
  subject: 'alerts',
  dirtiedBy: null,
  isBroadcast: false,
  isPermanent: false,
  worth: () => 'said',
} as const satisfies Treatment & { readonly worth: WorthOf<CardKind> }

const list = {
  ...once,
  post: 'opening',
  restMs: 2_000,
  dirtiedBy: 'mutes_of_its_alerts',
  worth: ({ alerts }: StoredView<'summary' | 'storm'>) => (alerts.some(isLive) ? 'open' : 'over'),
} as const

/** Of every kind; for a notice it is its topic that says how it is treated. */
export const cardKinds: { readonly [Kind in CardKind]: Treatment & { readonly worth: WorthOf<Kind> } } = {
  alert: {
    ...once,
    post: 'opening',
    update: 'alert',
    dirtiedBy: 'mutes_of_its_alerts',
    worth: ({ alert }, postedMs) => {
      if (!isLive(alert)) return 'over'
      return alert.firstSeenMs > (postedMs ?? 0) ? 'unsaid' : 'open'
    },
  },
  summary: list,
  storm: list,
  page: {
    ...once,
    post: 'listing',
    update: 'page',
    restMs: 10_000,
    worth: ({ alerts }) => (alerts.some(isLive) ? 'listed' : 'over'),
  },
  outage: {
    ...once,
    post: 'opening',
    subject: 'outage',
    worth: ({ outages }) => (outages.at(-1)?.outage.untilMs === null ? 'open' : 'said'),
  },
  note: { ...once, subject: 'note' },
  notice: once,
  mute_expiring: { ...once, subject: 'mute' },
  mute_ended: { ...once, subject: 'mute' },
  picture: { ...once, post: 'picture', subject: 'none' },
  board: {
    post: 'listing',
    update: 'board',
    // It changes with everything; people read it no faster than this.
    restMs: 10_000,
    subject: 'none',
    dirtiedBy: 'any_alert_or_mute',
    isBroadcast: false,
    isPermanent: true,
    worth: () => 'kept',
  },
}

const noticeTopics: Readonly<Record<NoticeTopic, Treatment>> = {
  became_critical: { ...once, post: 'opening', isBroadcast: true },
  unacknowledged: { ...once, isBroadcast: true },
  flap_reminder: { ...once, post: 'opening', isBroadcast: true },
  stale_ack: { ...once, isBroadcast: true },
  page_failed: { ...once, post: 'opening' },
  page_works: { ...once, subject: 'none' },
  handed: { ...once, post: 'opening' },
  change_notice: { ...once, subject: 'entry' },
  file: { ...once, subject: 'entry' },
  report: { ...once, subject: 'entry' },
  handoff: { ...once, subject: 'entry' },
  // Said with every alert: it yields to whatever is news.
  description: { ...once, post: 'picture', subject: 'none' },
}

export function treatmentOf({
  kind,
  topic,
}: {
  readonly kind: CardKind
  readonly topic?: NoticeTopic | null
}): Treatment {
  return topic == null ? cardKinds[kind] : noticeTopics[topic]
}

/** The kinds for which this holds, with the topics of `notice` in its place. */
export function kindsThat(are: (treatment: Treatment) => boolean): readonly (CardKind | NoticeTopic)[] {
  const { notice: _, ...others } = cardKinds
  const all = Object.entries({ ...others, ...noticeTopics }) as [CardKind | NoticeTopic, Treatment][]
  return all.flatMap(([kind, treatment]) => (are(treatment) ? [kind] : []))
}

/** Whether to post a card again after its message was deleted. */
export function worthOf<Kind extends CardKind>(view: StoredView<Kind>, postedMs: number | null): Worth {
  return cardKinds[view.kind].worth(view, postedMs)
}

/** The file that a card brings. */
export function fileBy(view: CardView): FileMade | null {
  const isOfFile = view.kind === 'notice' && (view.topic === 'file' || view.topic === 'report')
  return isOfFile ? (view.entry.detail.file ?? null) : null
}

export function pictureOn(view: StoredView): CardPicture | null {
  return 'picture' in view ? view.picture : null
}
