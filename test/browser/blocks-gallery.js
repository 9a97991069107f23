/** The page of the block tests: shows any blocks in the page's own looks, and remembers what the elements tell. */
import {
  checkInputs,
  readValues,
  renderBlocks,
  renderMrkdwn,
  showErrors,
} from '/page/blocks/render-blocks.js'

const users = { U1: 'ana', U2: 'ben', U3: 'chidi' }
const channels = { C1: 'alerts', C2: 'db', D1: 'ana' }
const suggestions = ['web-1', 'web-2', 'db-1'].map((name) => ({
  text: { type: 'plain_text', text: name },
  value: `id-${name}`,
}))

/** @type {Set<() => void>} */
const waiting = new Set()
const log = { actions: [], queries: [] }
/** @type {'ok' | 'wait' | string} Any other word is the error. */
let answer = 'ok'

function context(options) {
  return {
    surface: 'message',
    names: {
      user: (id) => users[id] ?? id,
      channel: (id) => channels[id] ?? id,
      group: (id) => (id === 'S1' ? 'on-call' : id),
    },
    now: () => Date.parse('2026-03-05T14:30:00Z'),
    directory: {
      users: () => Object.keys(users),
      conversations: () => [
        { id: 'C1', kind: 'public' },
        { id: 'C2', kind: 'private' },
        { id: 'D1', kind: 'im' },
      ],
    },
    fileUrl: (id) => (id === 'F00000001' ? 'http://localhost:1/files/F00000001/chart.png' : undefined),
    act: async (action) => {
      log.actions.push(action)
      if (answer === 'wait') await new Promise((resolve) => waiting.add(resolve))
      else if (answer !== 'ok') throw new Error(answer)
    },
    suggest: async (action, value) => {
      log.queries.push({ ...action, value })
      if (answer === 'wait') await new Promise((resolve) => waiting.add(resolve))
      else if (answer !== 'ok') throw new Error(answer)
      return { options: suggestions.filter(({ text }) => text.text.includes(value)) }
    },
    ...options,
  }
}

const stage = document.querySelector('#stage')

globalThis.gallery = {
  log,
  show(blocks, options = {}) {
    log.actions.length = 0
    log.queries.length = 0
    stage.replaceChildren(renderBlocks(blocks, context(options)))
  },
  showMrkdwn: (text, options = {}) => stage.replaceChildren(...renderMrkdwn(text, context(options))),
  answerWith: (how) => {
    answer = how
  },
  finish: () => {
    for (const resolve of waiting) resolve()
    waiting.clear()
  },
  values: () => readValues(stage),
  check: () => checkInputs(stage),
  showErrors: (errors) => showErrors(stage, errors),
}
document.documentElement.dataset.ready = ''
