/** The page of the workspace: joins its parts up and starts them. */
import { render } from 'preact'
import { build } from './blocks/build-node.js'
import { html } from './html.js'
import { plainWords } from './messages/plain-words.js'
import { ActError } from './shell/ask-server.js'
import { Banner } from './shell/banner.js'
import { openColumns } from './shell/columns.js'
import { follow } from './shell/follow-events.js'
import { listenToKeys } from './shell/keys.js'
import { Model } from './shell/model.js'
import { onReadElsewhere } from './shell/remember.js'
import { openSidebar } from './shell/sidebar.js'
import { openLine } from './shell/stay-live.js'
import { surround } from './shell/surroundings.js'
import { openTownColumn } from './shell/town-column.js'
import { openModals } from './views/modal.js'

/** Until the server answers for the first time. */
const firstTryAgainMs = 1_000

const model = new Model()
const around = surround(model)
const said = build('p', { class: 'unseen', role: 'status' })
const title = build('h1', { class: 'unseen' })
const sidebar = openSidebar(model)
const columns = openColumns(model, around, (message) => {
  said.textContent = `${around.author(message).name}: ${plainWords(message)}`
})
const line = openLine({
  position: () => model.position,
  onTold: (told) => follow(model, told),
  reload: () => model.load(),
  onStatus: showBanner,
})
const banner = build('div')
/** Undefined until the connection was lost once. @type {boolean | undefined} */
let isLive
const shell = build('main', { class: 'shell' }, sidebar, columns.front, columns.thread, openTownColumn(model))

/** @type {(live: boolean) => void} */
function showBanner(live) {
  if (isLive !== undefined || !live) isLive = live
  render(html`<${Banner} isLive=${isLive} retry=${line.retryNow} />`, banner)
}

function markRead() {
  const { channelId, place } = model
  const isInFront = place.kind === 'channel' || place.kind === 'thread' || place.kind === 'none'
  if (channelId === undefined || !isInFront || document.visibilityState !== 'visible') return
  model.marks.read(channelId, model.room(channelId))
}

function showPlace() {
  const { place, channelId } = model
  shell.dataset.place = place.kind === 'none' ? 'channel' : place.kind
  const name = place.kind === 'home' ? model.state.bot.name : (model.channel(channelId ?? '')?.name ?? '')
  const unread = model.channels
    .filter(({ id, archived }) => id !== channelId && !archived)
    .reduce((sum, { id }) => sum + model.marks.unread(id, model.room(id)), 0)
  title.textContent = [name, model.state.team.name].filter((part) => part).join(' · ')
  document.title = [unread > 0 ? `(${unread})` : '', name, model.state.team.name]
    .filter((part) => part)
    .join(' · ')
}

// After the columns, which first mark where the unread messages begin.
model.listen(() => {
  markRead()
  showPlace()
})

window.addEventListener('hashchange', () => {
  model.goTo(location.hash)
  model.tell('state')
})
document.addEventListener('visibilitychange', () => model.tell('state'))
onReadElsewhere(() => {
  model.marks.open(model.me)
  model.tell('state')
})
listenToKeys(model)

async function start() {
  try {
    await model.load()
  } catch (error) {
    if (!(error instanceof ActError)) throw error
    showBanner(false)
    setTimeout(() => void start(), firstTryAgainMs)
    return
  }
  showBanner(true)
  document.body.replaceChildren(build('header', {}, title, banner), shell, openModals(model, around), said)
  model.tell('place')
  model.tell('views')
  line.start()
}

document.body.prepend(banner)
void start()
