/**
 * What this browser remembers: who it acts as and what each person has read for all its pages, drafts for this page alone.
 * A browser that forbids storage forgets, and everything else works.
 */

/** @type {(storage: () => Storage, key: string) => string | undefined} */
function read(storage, key) {
  try {
    return storage().getItem(`workspace:${key}`) ?? undefined
  } catch {
    return undefined
  }
}

/** @type {(storage: () => Storage, key: string, value: string | undefined) => void} */
function write(storage, key, value) {
  try {
    if (value === undefined) storage().removeItem(`workspace:${key}`)
    else storage().setItem(`workspace:${key}`, value)
  } catch {
    // Full or forbidden: nothing is lost but the memory of it.
  }
}

const everywhere = () => window.localStorage
const here = () => window.sessionStorage

/** The person of this page, else the one whom any page chose last. */
export const recallPerson = () => read(here, 'person') ?? read(everywhere, 'person')

/** @type {(userId: string) => void} */
export function rememberPerson(userId) {
  write(here, 'person', userId)
  write(everywhere, 'person', userId)
}

/** @type {(userId: string) => Record<string, string>} Channel → the timestamp up to which it is read. */
export function recallRead(userId) {
  try {
    const told = JSON.parse(read(everywhere, `read:${userId}`) ?? '{}')
    return typeof told === 'object' && told !== null ? told : {}
  } catch {
    return {}
  }
}

/** @type {(userId: string, marks: Record<string, string>) => void} */
export const rememberRead = (userId, marks) => write(everywhere, `read:${userId}`, JSON.stringify(marks))

/** Calls back when another page of this browser has read something.  @type {(listener: () => void) => void} */
export function onReadElsewhere(listener) {
  window.addEventListener('storage', (event) => {
    if (event.key?.startsWith('workspace:read:')) listener()
  })
}

/** @type {(key: string) => string} */
export const recallDraft = (key) => read(here, `draft:${key}`) ?? ''

/** @type {(key: string, text: string) => void} */
export const rememberDraft = (key, text) => write(here, `draft:${key}`, text === '' ? undefined : text)

export const recallChannel = () => read(here, 'channel') ?? read(everywhere, 'channel')

/** @type {(channelId: string) => void} */
export function rememberChannel(channelId) {
  write(here, 'channel', channelId)
  write(everywhere, 'channel', channelId)
}

/** Whether the town stands open beside the messages, where there is room for it. */
export const recallTown = () => read(everywhere, 'town') !== 'closed'

/** @type {(isOpen: boolean) => void} */
export const rememberTown = (isOpen) => write(everywhere, 'town', isOpen ? 'open' : 'closed')
