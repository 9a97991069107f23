/** The page of the workspace: joins the store, the live line and the keys, and draws the page after every change. */
import { render } from 'preact'
import { html } from './html.js'
import { ActError } from './shell/ask-server.js'
import { listenToKeys } from './shell/keys.js'
import { follow, openLine } from './shell/live-line.js'
import { Page } from './shell/page.js'
import { onReadElsewhere } from './shell/remember.js'
import { Store } from './shell/store.js'

/** Until the server answers for the first time. */
const firstTryAgainMs = 1_000

/** What stands in the document until there is more to show. */
const skeleton = document.querySelector('main')

let isAsked = false
const store = new Store(() => {
  if (isAsked) return
  isAsked = true
  queueMicrotask(() => {
    isAsked = false
    skeleton?.remove()
    render(html`<${Page} store=${store} retry=${line.retryNow} />`, document.body)
  })
})
const line = openLine({
  position: () => store.position,
  onEvent: (happened) => follow(store, happened),
  reload: () => store.load(),
  onStatus: showStatus,
})

/** A connection that was never lost is not worth a word.  @type {(isLive: boolean) => void} */
function showStatus(isLive) {
  if (isLive && store.isLive === undefined) return
  store.isLive = isLive
  store.changed()
}

async function start() {
  try {
    await store.load()
  } catch (error) {
    if (!(error instanceof ActError)) throw error
    showStatus(false)
    setTimeout(() => void start(), firstTryAgainMs)
    return
  }
  showStatus(true)
  line.start()
}

window.addEventListener('hashchange', () => store.goTo(location.hash))
document.addEventListener('visibilitychange', store.changed)
onReadElsewhere(() => store.recallRead())
listenToKeys(store)
void start()
