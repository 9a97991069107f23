// A Slack message in a terminal: what a person reads, and what an attacker cannot do.

import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderMessage, type TerminalMessage } from '../../src/workspace/terminal.ts'
import { columnsOf } from '../../src/workspace/terminal-span.ts'

const utc = { width: 60, color: false, timeZone: 'UTC' }
const esc = '\u001b'
// 2026-11-21 13:05:09 UTC, a Saturday.
const at = 1_795_266_309

const plain = (text: string) => ({ type: 'plain_text', text })
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
const section = (text: string) => ({ type: 'section', text: mrkdwn(text) })
const say = (text: string, options: Partial<Parameters<typeof renderMessage>[1]> = {}) =>
  renderMessage({ text }, { ...utc, ...options })
const show = (blocks: unknown[], options: Partial<Parameters<typeof renderMessage>[1]> = {}) =>
  renderMessage({ text: 'fallback', blocks }, { ...utc, ...options })
const rich = (...elements: unknown[]) => ({ type: 'rich_text', elements })
const richSection = (...elements: unknown[]) => ({ type: 'rich_text_section', elements })

describe('An alert card', () => {
  const card: TerminalMessage = {
    channelName: 'alerts',
    user: 'monbot',
    ts: `${at}.000100`,
    text: 'Load Average on web-1',
    blocks: [
      section(':red_circle: *<https://mon.test/a_1|Load Average on web-1>* · 3.5 — met or exceeded 3.00'),
      {
        type: 'context',
        elements: [mrkdwn(`Started <!date^${at}^{date_short} {time}|then>`), mrkdwn('role web')],
      },
      { type: 'image', alt_text: 'Load of the last hour', image_url: 'https://mon.test/1.png' },
      { type: 'divider' },
      {
        type: 'actions',
        elements: [
          { type: 'button', text: plain('Acknowledge'), style: 'primary' },
          { type: 'static_select', placeholder: plain('Mute'), options: [] },
          { type: 'overflow', options: [] },
        ],
      },
    ],
  }

  it('reads as one would like to read it', () => {
    expect(renderMessage(card, utc)).toBe(
      [
        '#alerts · monbot · 13:05:09',
        '🔴 Load Average on web-1 · 3.5 — met or exceeded 3.00',
        'Started Nov 21, 2026 13:05 · role web',
        '[image: Load of the last hour]',
        '─'.repeat(60),
        '[ Acknowledge ] [ Mute ▾ ] [ ⋯ ]',
      ].join('\n'),
    )
  })

  it('says the same in colour', () => {
    const coloured = renderMessage(card, { ...utc, color: true })
    expect(stripVTControlCharacters(coloured)).toBe(renderMessage(card, utc))
    expect(coloured).toContain(`${esc}[1m${esc}[4mLoad Average on web-1${esc}[24m${esc}[22m`)
    expect(coloured).toContain(`${esc}[32m[ Acknowledge ]${esc}[39m`)
  })

  it('is indented in a thread and says that it was edited', () => {
    const reply = { ...card, blocks: [], text: 'still open', threadTs: `${at - 60}.000100`, edited: true }
    expect(renderMessage(reply, utc)).toBe('↳ #alerts · monbot · 13:05:09 · edited\n    still open')
    expect(renderMessage({ ...reply, threadTs: `${at}.000100` }, utc)).toMatch(/^#alerts/)
  })

  it('shows its time in the zone asked for', () => {
    expect(renderMessage(card, { ...utc, timeZone: 'Asia/Kolkata' })).toContain('18:35:09')
    expect(() => renderMessage(card, { ...utc, timeZone: 'Mars/Olympus' })).toThrow(/Mars\/Olympus/)
  })
})

const markup: [mrkdwn: string, shown: string][] = [
  ['*bold* _italic_ and *_both_*', 'bold italic and both'],
  ['a*b*c 2 * 3 * 4 snake_case_name', 'a*b*c 2 * 3 * 4 snake_case_name'],
  ['~gone~ and `a *b* &lt;c&gt;`', '~gone~ and `a *b* <c>`'],
  ['&lt;!channel&gt; &amp;amp; &amp;lt;', '<!channel> &amp; &lt;'],
  ['<https://a.test/x_y_z|the label> <https://a.test>', 'the label https://a.test'],
  ['*<https://a.test/*|starred>*', 'starred'],
  ['<mailto:a@b.test|write> <nothing of Slack>', 'write <nothing of Slack>'],
  ['<@U1> <@U2|ana> <#C1|alerts> <#C2>', '@U1 @ana #alerts #C2'],
  [
    '<!here> <!channel> <!everyone> <!subteam^S1> <!subteam^S2|@oncall>',
    '@here @channel @everyone @S1 @oncall',
  ],
  [
    ':bell: :no_bell: :large_green_circle: :unknown_one: 10:30:15 `:bell:`',
    '🔔 🔕 🟢 :unknown_one: 10:30:15 `:bell:`',
  ],
  ['> one\n&gt; two\nthree', '▏ one\n▏ two\nthree'],
  ['>>> one\ntwo', '▏ one\n▏ two'],
  ['before\n```\n*raw* &amp;\n  in\n```\nafter', 'before\n    *raw* &\n      in\nafter'],
  ['an ```unclosed fence and `one tick', 'an ```unclosed fence and `one tick'],
  ['one\n\ntwo', 'one\n\ntwo'],
]

describe('mrkdwn', () => {
  it.each(markup)('%j', (text, shown) => expect(say(text, { width: 100 })).toBe(shown))

  it('has colours for what has no other sign', () => {
    expect(say('*b* _i_ ~s~ `c`', { color: true })).toBe(
      `${esc}[1mb${esc}[22m ${esc}[3mi${esc}[23m ${esc}[9ms${esc}[29m ${esc}[36mc${esc}[39m`,
    )
  })
})

const dates: [format: string, shown: string][] = [
  ['{date_num} {time_secs}', '2026-11-21 13:05:09'],
  ['{date}, {date_slash}', 'November 21, 21/11/2026'],
  ['{date_long}', 'Saturday, November 21st, 2026'],
  ['{date_long_full} at {time}', 'November 21, 2026 at 13:05'],
  ['{date_short_pretty} {unknown}', 'Nov 21, 2026 {unknown}'],
]

describe('Dates', () => {
  it.each(dates)('%s', (format, shown) => expect(say(`<!date^${at}^${format}|x>`)).toBe(shown))

  it('say today and how long ago when the moment is known', () => {
    const now = new Date((at + 3 * 3600) * 1000)
    expect(say(`<!date^${at}^{date_pretty} {ago}|x>`, { now })).toBe('today 3 hours ago')
    expect(say(`<!date^${at}^{date_pretty}|x>`, { now: new Date((at + 86_400) * 1000) })).toBe('yesterday')
  })

  it('are their fallback when they are no moment', () => {
    expect(say('<!date^soon^{date}|at noon> <!date^9999999999999999^{date}|never>')).toBe('at noon never')
  })
})

describe('Blocks', () => {
  it('are shown instead of the text, and the text when there are none', () => {
    expect(show([section('block')])).toBe('block')
    expect(show([])).toBe('fallback')
  })

  it('show headers, fields, accessories, pickers, boxes and inputs', () => {
    const option = (value: string) => ({ text: plain(value), value })
    const element = {
      type: 'checkboxes',
      options: [option('a'), option('b')],
      initial_options: [option('b')],
    }
    const blocks = [
      { type: 'header', text: plain('Storm :zap: *as is*') },
      {
        type: 'section',
        fields: [mrkdwn('*a*'), plain('*b*')],
        accessory: { type: 'image', alt_text: 'graph' },
      },
      { type: 'actions', elements: [{ type: 'datepicker', initial_date: '2026-11-21' }, element] },
      {
        type: 'input',
        label: plain('Note'),
        element: { type: 'plain_text_input', placeholder: plain('why') },
      },
    ]
    expect(show(blocks).split('\n')).toEqual([
      'Storm ⚡ *as is*',
      'a',
      '*b*',
      '[image: graph]',
      '[ 2026-11-21 ▾ ] ☐ a ☑ b',
      'Note: [ why ]',
    ])
  })

  it('show rich text with its lists, quotes, code and mentions', () => {
    const text = (words: string, style?: object) => ({ type: 'text', text: words, ...(style && { style }) })
    const blocks = [
      rich(
        richSection(
          text('*not* bold '),
          text('x', { code: true }),
          text(' gone', { strike: true }),
          text('\nnext'),
        ),
        {
          type: 'rich_text_list',
          style: 'ordered',
          elements: [richSection(text('a')), richSection(text('b'))],
        },
        {
          type: 'rich_text_list',
          style: 'bullet',
          indent: 1,
          elements: [richSection({ type: 'user', user_id: 'U1' })],
        },
        { type: 'rich_text_quote', elements: [{ type: 'link', url: 'https://a.test', text: 'label' }] },
        { type: 'rich_text_preformatted', elements: [text('a\n b')] },
        richSection(
          { type: 'emoji', name: 'bell' },
          { type: 'emoji', name: 'zz' },
          { type: 'broadcast', range: 'here' },
        ),
        richSection({ type: 'date', timestamp: at, format: '{date_num}' }, { type: 'hologram' }),
      ),
    ]
    expect(show(blocks).split('\n')).toEqual([
      '*not* bold `x`~ gone~',
      'next',
      '1. a',
      '2. b',
      '  • @U1',
      '▏ label',
      '    a',
      '     b',
      '🔔:zz:@here',
      '2026-11-21{"type":"hologram"}',
    ])
  })

  it('that are unknown or misshapen are shown as their JSON, never dropped', () => {
    const blocks = [{ type: 'hologram', size: 3 }, { type: 'section', text: 'bare' }, null]
    expect(show(blocks).split('\n')).toEqual(blocks.map((block) => JSON.stringify(block)))
  })
})

describe('Wrapping', () => {
  it('breaks between words, repeats the mark of a quote, and keeps a button whole', () => {
    expect(say('> one two three four five', { width: 20 })).toBe('▏ one two three four\n▏ five')
    const elements = ['Mute the server', 'Show a chart'].map((text) => ({
      type: 'button',
      text: plain(text),
    }))
    expect(show([{ type: 'actions', elements }], { width: 30 })).toBe('[ Mute the server ]\n[ Show a chart ]')
  })

  it('counts an emoji as two columns', () => {
    expect(say('🔴🔴🔴🔴🔴 123456789', { width: 20 })).toBe('🔴🔴🔴🔴🔴 123456789')
    expect(say('🔴🔴🔴🔴🔴🔴 123456789', { width: 20 })).toBe('🔴🔴🔴🔴🔴🔴\n123456789')
    expect(['🔕', '👨‍🚒', '✔️', '日本', 'e\u0301', '—'].map(columnsOf)).toEqual([2, 2, 2, 4, 1, 1])
  })

  it('never prints a line wider than asked, whatever the text', () => {
    const words = fc.string({
      unit: fc.constantFrom('a', ' ', '🔴', '日', '*', '_', '`', '<', '>', '|', '\n', '~', '&'),
    })
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 40 }), fc.boolean(), (text, width, color) => {
        const printed = stripVTControlCharacters(show([section(text), { type: 'x', text }], { width, color }))
        for (const row of printed.split('\n')) expect(columnsOf(row)).toBeLessThanOrEqual(width)
      }),
    )
  })

  it('keeps to sensible widths and refuses none at all', () => {
    expect(show([{ type: 'divider' }], { width: 1 })).toBe('─'.repeat(20))
    expect(show([{ type: 'divider' }], { width: Number.POSITIVE_INFINITY })).toBe('─'.repeat(400))
    expect(() => say('x', { width: Number.NaN })).toThrow('expected a number of columns as width, got NaN')
  })
})
