/**
 * What this browser remembers: who it acts as and what each person has read for all its pages, drafts for this page alone.
 * A browser that forbids storage forgets, and everything else works.
 */

const storages = { page: () => window.sessionStorage, browser: () => window.localStorage }
/** @typedef {keyof typeof storages} Where */

/** What the first of these has.  @type {(key: string, ...where: Where[]) => string | undefined} */
function recall(key, ...where) {
  try {
    return (
      where.map((one) => storages[one]().getItem(`workspace:${key}`)).find((known) => known !== null) ??
      undefined
    )
  } catch {
    return undefined
  }
}

/** @type {(key: string, value: string, ...where: Where[]) => void} */
function remember(key, value, ...where) {
  try {
    for (const one of where) storages[one]().setItem(`workspace:${key}`, value)
  } catch {
    // Full or forbidden: nothing is lost but the memory of it.
  }
}

/** The person of this page, else the one whom any page chose last. */
export const recallPerson = () => recall('person', 'page', 'browser')

/** @type {(userId: string) => void} */
export const rememberPerson = (userId) => remember('person', userId, 'page', 'browser')

/** @type {(userId: string) => Record<string, string>} Channel → the timestamp up to which it is read. */
export function recallRead(userId) {
  try {
    const marks = JSON.parse(recall(`read:${userId}`, 'browser') ?? '{}')
    return typeof marks === 'object' && marks !== null ? marks : {}
  } catch {
    return {}
  }
}

/** @type {(userId: string, marks: Record<string, string>) => void} */
export const rememberRead = (userId, marks) => remember(`read:${userId}`, JSON.stringify(marks), 'browser')

/** Calls back when another page of this browser has read something.  @type {(listener: () => void) => void} */
export function onReadElsewhere(listener) {
  window.addEventListener('storage', (event) => {
    if (event.key?.startsWith('workspace:read:')) listener()
  })
}

/** @type {(key: string) => string} */
export const recallDraft = (key) => recall(`draft:${key}`, 'page') ?? ''

/** @type {(key: string, text: string) => void} */
export const rememberDraft = (key, text) => remember(`draft:${key}`, text, 'page')

export const recallChannel = () => recall('channel', 'page', 'browser')

/** @type {(channelId: string) => void} */
export const rememberChannel = (channelId) => remember('channel', channelId, 'page', 'browser')

/** Whether the town stands open beside the messages, where there is room for it. */
export const recallTown = () => recall('town', 'browser') !== 'closed'

/** @type {(isOpen: boolean) => void} */
export const rememberTown = (isOpen) => remember('town', isOpen ? 'open' : 'closed', 'browser')

/** Whether the line that says what to press first is still to be shown. */
export const recallIntro = () => recall('intro', 'browser') !== 'read'

export const forgetIntro = () => remember('intro', 'read', 'browser')
