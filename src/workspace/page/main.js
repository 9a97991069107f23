/** The page of the workspace: draws itself after every change of what it knows. */
import { render } from 'preact'
import { html } from './html.js'
import { Page } from './page.js'
import { keepUp, Store } from './store.js'

let isAsked = false
const store = new Store(() => {
  if (isAsked) return
  isAsked = true
  // All that happens within a frame is drawn at once.
  setTimeout(() => {
    isAsked = false
    render(html`<${Page} store=${store} />`, document.body)
  }, 16)
})
document.body.replaceChildren()
window.addEventListener('hashchange', () => store.behind(store.goTo(location.hash)))
void keepUp(store)
