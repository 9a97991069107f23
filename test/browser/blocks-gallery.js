/** The page of the block tests: shows any blocks in the page's own looks, and remembers what the elements tell. */
import { render } from 'preact'
import { Blocks } from '/page/blocks/blocks.js'
import { checkInputs, openForm, readValues } from '/page/blocks/form.js'
import { Mrkdwn } from '/page/blocks/text.js'
import { html } from '/page/html.js'

const users = { U1: 'ana', U2: 'ben', U3: 'chidi' }
const channels = { C1: 'alerts' }
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
    fileUrl: (id) => `/files/${id}`,
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
let form = openForm()
/** What is shown: blocks and the options that lie over the context. */
let shown = { blocks: [], options: {} }

function draw() {
  render(html`<${Blocks} blocks=${shown.blocks} context=${context({ ...shown.options, form })} />`, stage)
}

globalThis.gallery = {
  log,
  show(blocks, options = {}) {
    log.actions.length = 0
    log.queries.length = 0
    render(null, stage)
    form = openForm()
    shown = { blocks, options }
    draw()
  },
  /** The same blocks as the bot has changed them. */
  update(blocks) {
    shown.blocks = blocks
    draw()
  },
  showMrkdwn(text, options = {}) {
    render(html`<${Mrkdwn} text=${text} context=${context(options)} />`, stage)
  },
  answerWith: (how) => {
    answer = how
  },
  finish: () => {
    for (const resolve of waiting) resolve()
    waiting.clear()
  },
  values: () => readValues(form),
  check: () => checkInputs(form),
  showErrors(errors) {
    shown.options = { ...shown.options, errors }
    draw()
  },
}
document.documentElement.dataset.ready = ''
