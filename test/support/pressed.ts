/** Lists where tests click each action. An action without a place breaks the build. */
import type { TestContext } from 'vitest'
import type { actions } from '../../src/bot/slack/vocabulary.ts'

const placeOf = {
  acknowledge: 'card',
  takeOver: 'card',
  unmuteServer: 'card',
  showChart: 'card',
  // Each option of these has a test.
  muteServer: 'menu',
  more: 'menu',
  // On the card of many alerts.
  acknowledgeAll: 'storm',
  muteAll: 'storm',
  handTo: 'storm',
  dropMarker: 'storm',
  muteAccount: 'storm',
  // On the card once it is green.
  timeline: 'over',
  useful: 'over',
  noise: 'over',
  // Below the card, when somebody seems to have forgotten the alert.
  release: 'reminder',
  stillOnIt: 'reminder',
  extendMute: 'hand-back',
  unmuteNow: 'hand-back',
  undoMute: 'answer',
  confirm: 'answer',
  cancel: 'answer',
  ask: 'answer',
  // Chosen from while a form is filled in.
  roles: 'form',
  // A link: nothing follows from it.
  open: 'link',
  addRoles: 'home',
  // In the list of mutes, of a service that knows silences.
  endSilence: 'silence',
  skipPlanned: 'planned',
  cancelPlanned: 'planned',
} as const satisfies Record<keyof typeof actions, string>

type PlaceOf = typeof placeOf

/** A test for each action of this place. */
export type StoriesAt<Place extends PlaceOf[keyof PlaceOf]> = Readonly<
  Record<
    { [Name in keyof PlaceOf]: PlaceOf[Name] extends Place ? Name : never }[keyof PlaceOf],
    (context: TestContext) => Promise<void>
  >
>
