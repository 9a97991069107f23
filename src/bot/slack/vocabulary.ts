/** The names that the bot shares with Slack: methods, scopes, events, actions, modals, shortcuts, and what a card's buttons carry. */

/**
 * Every Web API method that the bot calls, and the bot scopes that it needs for public and private channels
 * (docs/slack.md#setting-up-an-app).
 */
export const methodsUsed = {
  'auth.test': [],
  // The doctor's, without a token.
  'blocks.validate': [],
  'chat.postMessage': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.update': ['chat:write'],
  'chat.delete': ['chat:write'],
  'chat.getPermalink': [],
  'conversations.history': ['channels:history', 'groups:history'],
  'conversations.replies': ['channels:history', 'groups:history'],
  'conversations.info': ['channels:read', 'groups:read'],
  // Before a direct message: its history is read, and it is updated, by its own id.
  'conversations.open': ['im:write'],
  'files.getUploadURLExternal': ['files:write'],
  // The doctor's test picture.
  'files.delete': ['files:write'],
  'files.completeUploadExternal': ['files:write'],
  'files.info': ['files:read'],
  'pins.add': ['pins:write'],
  'pins.remove': ['pins:write'],
  'usergroups.users.list': ['usergroups:read'],
  'users.info': ['users:read'],
  'users.lookupByEmail': ['users:read.email'],
  'views.open': [],
  'views.update': [],
  'views.publish': [],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The slash command; it and the shortcuts need the scope `commands`. */
export const command = '/mon'

/** What is missing without each of these scopes; the manifest asks for them too. */
export const scopesOptional = {
  'files:read': 'a picture that comes after its card stands in the thread as well',
  'app_mentions:read': 'a mention of @monbot is not answered',
  'im:history': 'a direct message to monbot is not answered',
  'im:write': 'nobody gets a direct message when an alert is handed to them',
  'pins:write': 'boards are not pinned',
  'users:read.email': 'people on call are found only by the table in the policy',
} as const

/**
 * Those that whoever installs the app may refuse. The others belong to events, and what Slack does with the subscription to an event whose
 * scope was refused is not documented (docs/slack.md#setting-up-an-app).
 */
export const scopesRefusable: readonly (keyof typeof scopesOptional)[] = [
  'files:read',
  'im:write',
  'pins:write',
  'users:read.email',
]

/** The scopes of all methods and of the command, sorted, each once. Without one of them something important does not work. */
export const scopesNeeded: readonly string[] = [
  ...new Set<string>([...Object.values(methodsUsed).flat(), 'commands']),
]
  .filter((scope) => !Object.hasOwn(scopesOptional, scope))
  .sort()

/** `unarchived` to `joined` mean that a channel may take cards again; they need no scope beyond those of the calls. The last two need `scopesOptional`. */
export const events = {
  homeOpened: 'app_home_opened',
  unarchived: 'channel_unarchive',
  privateUnarchived: 'group_unarchive',
  joined: 'member_joined_channel',
  mentioned: 'app_mention',
  directMessage: 'message.im',
} as const

/** The events that the bot subscribes to. */
export const eventsUsed = Object.values(events)

/** The fixed names of all buttons and menus. */
export const actions = {
  acknowledge: 'acknowledge',
  takeOver: 'take_over',
  /** Gives up an acknowledgement; older messages carry its former name. */
  release: 'hand_back',
  stillOnIt: 'still_on_it',
  /** A select of durations; its values are `muteChoices`. */
  muteServer: 'mute_server',
  unmuteServer: 'unmute_server',
  /** On a summary or a storm, for all of its alerts; `mute_all` is a select with the same values as `mute_server`. */
  acknowledgeAll: 'acknowledge_all',
  muteAll: 'mute_all',
  handTo: 'hand_to',
  dropMarker: 'drop_marker',
  muteAccount: 'mute_account',
  addRoles: 'add_roles',
  showChart: 'show_chart',
  /** An overflow; its values are `moreChoices`. */
  more: 'more',
  extendMute: 'extend_mute',
  /** Where a mute is about to end; the value is the mute's id. */
  unmuteNow: 'unmute_now',
  undoMute: 'undo_mute',
  /** The value is when the window begins, and the plan. */
  skipPlanned: 'skip_planned',
  /** The value is the plan's id. */
  cancelPlanned: 'cancel_planned',
  /** The value is the silence's id. */
  endSilence: 'end_silence',
  confirm: 'confirm',
  cancel: 'cancel',
  /** The value is the text of a command: a page of a list, a chart, or what somebody would otherwise have to type. */
  ask: 'ask',
  /** On what is over: for one alert, or for all of a list. */
  timeline: 'timeline',
  useful: 'useful',
  noise: 'noise',
  /** An external select of existing roles; new names go into a text field beside it. */
  roles: 'roles',
  /** A button with a URL: Slack reports the click as well, but there is nothing to do. */
  open: 'open',
} as const

/** Is it this action? Several buttons with one action may be in one block, each with a suffix of its own after `:`. */
export function isAction(actionId: string, name: string): boolean {
  return actionId === name || actionId.startsWith(`${name}:`)
}

export const muteChoices = ['30m', '1h', '4h', '24h', 'healthy', 'unmuted'] as const
/** In the menu after `muteChoices`: opens the form with an end and a reason. */
export const customMute = 'custom'

const ofAlert = 'alert:'

/** The same choice for the alert alone, where the plain one is for its server. */
export function alertMuteChoice(choice: string): string {
  return `${ofAlert}${choice}`
}

/** Which of the two a value is. */
export function readMuteChoice(value: string | null): {
  readonly isOfAlert: boolean
  readonly choice: string | null
} {
  return value?.startsWith(ofAlert) === true
    ? { isOfAlert: true, choice: value.slice(ofAlert.length) }
    : { isOfAlert: false, choice: value }
}
/** At most five, Slack's limit. `hand_back` (releases it) only while somebody has the alert. */
export const moreChoices = ['hand_to', 'add_note', 'timeline', 'drop_marker', 'hand_back'] as const
/** Stand in the menus of older messages, and now on the Home tab: pressed there they still work. */
export const formerChoices = ['add_roles', 'mute_account'] as const

/** `callback_id` of the message shortcuts, named for what they open. */
export const shortcuts = { muteServer: 'mute_server', addNote: 'add_note' } as const

/**
 * What a card's buttons carry: which card, which version of it the person saw, and which alert. It is the `block_id` of the
 * card's actions, so that selects and overflows, whose values are short, carry it just like buttons.
 */
export type Stamp = { readonly cardId: string; readonly version: number; readonly alertId: string | null }

const shape = /^card\|(\d{1,15})(?:\.\d{1,16})?\|([^|]*)\|(.+)$/
/** Slack's limit on a `block_id`. */
const blockIdCharsMax = 255

/**
 * The `block_id` of a stamp. It changes with each version, as Slack advises: otherwise a select would keep what was chosen, and
 * choosing it again would do nothing. A message without versions passes `shownMs`, the time of showing it.
 */
export function stampText({ cardId, version, alertId }: Stamp, shownMs?: number): string {
  const text = `card|${version}${shownMs === undefined ? '' : `.${shownMs}`}|${alertId ?? ''}|${cardId}`
  if (text.length > blockIdCharsMax) throw new Error(`The stamp of the card ${cardId} is too long for Slack`)
  return text
}

/** Reads a card's stamp from a `block_id`; null for any other block. */
export function parseStamp(blockId: string): Stamp | null {
  const found = shape.exec(blockId)
  if (found === null) return null
  const [, version = '', alertId = '', cardId = ''] = found
  return { cardId, version: Number(version), alertId: alertId === '' ? null : alertId }
}
