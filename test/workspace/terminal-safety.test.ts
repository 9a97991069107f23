// What an attacker cannot do to the terminal of somebody who reads a message there.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderMessage } from '../../src/workspace/terminal.ts'

const utc = { width: 60, color: false, timeZone: 'UTC' }
const esc = '\u001b'
const plain = (text: string) => ({ type: 'plain_text', text })
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } })
const say = (text: string) => renderMessage({ text }, utc)
const show = (blocks: unknown[]) => renderMessage({ text: 'fallback', blocks }, utc)
const rich = (...elements: unknown[]) => ({ type: 'rich_text', elements })
const richSection = (...elements: unknown[]) => ({ type: 'rich_text_section', elements })

describe('Untrusted text', () => {
  const attacks = [
    `${esc}[2J`,
    `${esc}]8;;https://evil.test${esc}\\`,
    '\u009b31m',
    '\u0007',
    '\b\b\b',
    '\r',
    '\u202e',
    '\u2066',
  ]

  it.each(attacks)('%j reaches the terminal from no place of a message', (attack) => {
    const text = `a${attack}b`
    const places = [
      renderMessage({ text, user: text, channelName: text }, utc),
      show([section(text), { type: 'header', text: plain(text) }, { type: 'image', alt_text: text }]),
      show([
        rich(richSection({ type: 'text', text }), {
          type: 'rich_text_preformatted',
          elements: [{ type: 'text', text }],
        }),
      ]),
      show([
        { type: 'actions', elements: [{ type: 'button', text: plain(text) }] },
        { type: text, [text]: text },
      ]),
      say(`<https://a.test|${text}> <@U1|${text}> \`${text}\` <!date^x^y|${text}>`),
    ]
    for (const place of places) expect(place.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e\u2066]/u)
  })

  it('has no escape sequence but the colours, in any message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const printed = renderMessage(
          { text, user: text, blocks: [section(text), plain(text)] },
          { ...utc, color: true },
        )
        const sequence = new RegExp(`${esc}\\[[0-9]{1,2}m`, 'g')
        expect(printed.replace(sequence, '').replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
      }),
    )
  })

  it('cannot forge a line in a name or on a button', () => {
    expect(renderMessage({ text: 'x', user: 'eve\n#alerts · monbot' }, utc)).toBe('eve #alerts · monbot\nx')
    expect(show([{ type: 'actions', elements: [{ type: 'button', text: plain('a\nb') }] }])).toBe('[ a b ]')
  })

  it('takes no time to speak of, however twisted', () => {
    const twisted = ['*a ', '<a', '`', '_x', '~<', '```', '*a<*>', '&gt;', ':a']
      .map((part) => part.repeat(5000))
      .join('')
    expect(say(twisted).length).toBeGreaterThan(0)
  }, 5000)
})
