/** Text in a real browser: mrkdwn as Slack reads it, and hostile text that stays text. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tidyText } from '../../src/workspace/state/sanitize.ts'
import { actions, button, input, mrkdwn, option, plain } from './blocks-fixtures.ts'
import { type Gallery, openGallery, openStage, type Stage } from './blocks-stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

/** What the browser made of a text: `<tag>` for the tags that mean something, the rest as words. */
async function shown({ page }: Gallery): Promise<string> {
  return page.evaluate<string>(`(() => {
    const names = { STRONG: 'b', EM: 'i', S: 's', CODE: 'code', PRE: 'pre', BLOCKQUOTE: 'quote', A: 'a', BR: 'br' }
    const told = (node) => {
      if (node.nodeType === 3) return node.data
      const inner = [...node.childNodes].map(told).join('')
      if (node.matches('.bk-mention')) return '[' + inner + ']'
      const name = names[node.nodeName]
      if (name === 'br') return '\\n'
      const href = name === 'a' ? ' ' + node.getAttribute('href') : ''
      return name === undefined ? inner : '<' + name + href + '>' + inner + '</' + name + '>'
    }
    return told(document.querySelector('#stage'))
  })()`)
}

test('a line broke between a number and its unit, and circles of the colour of the ground were not seen', async () => {
  const gallery = await openGallery(stage)
  await gallery.showMrkdwn(
    '⚫ at *97 %*, limit 90 %, 4 min, 2.5 GB, 30 KB/s; 90 days, 5 minutes and 3 % more ⚪ ok',
  )
  const found = (name: string) =>
    gallery.page.locator(`#stage ${name}`).evaluateAll((all) => all.map((one) => one.textContent))
  expect(await found('.bk-whole')).toEqual(['97 %', '90 %', '4 min', '2.5 GB', '30 KB/s', '3 %'])
  expect(await found('.bk-circle')).toEqual(['⚫', '⚪'])
  const style = (name: string, property: string) =>
    gallery.page.evaluate<string>(`getComputedStyle(document.querySelector('#stage ${name}'))['${property}']`)
  expect(await style('.bk-whole', 'whiteSpace')).toBe('nowrap')
  expect(await style('.bk-circle', 'filter')).toContain('drop-shadow')
})

test('mrkdwn as Slack reads it', async () => {
  const gallery = await openGallery(stage)
  const cases: readonly [text: string, expected: string][] = [
    ['*bold* _italic_ ~struck~ `code`', '<b>bold</b> <i>italic</i> <s>struck</s> <code>code</code>'],
    ['*bold _and italic_*', '<b>bold <i>and italic</i></b>'],
    ['2*3*4 snake_case_name a*b* * not bold *', '2*3*4 snake_case_name a*b* * not bold *'],
    ['`*not bold* :fire: <@U1>`', '<code>*not bold* :fire: <@U1></code>'],
    ['`<https://a.example/x>`', '<code><a https://a.example/x>https://a.example/x</a></code>'],
    ['```\n*raw*\n  :fire:\n```', '<pre>*raw*\n  :fire:</pre>'],
    ['before ```x``` after', 'before <pre>x</pre> after'],
    ['&gt; quoted\n> too\nnot', '<quote>quoted\ntoo</quote>not'],
    ['&gt;&gt;&gt; all\nof it', '<quote>all\nof it</quote>'],
    ['one\n\n• two\n1. three', 'one\n\n• two\n1. three'],
    ['&amp;lt; is &lt;b&gt; once', '&lt; is <b> once'],
    [
      '*<https://a.example/?x=1&amp;y=2|the *label*>*',
      '<b><a https://a.example/?x=1&y=2>the *label*</a></b>',
    ],
    ['<https://a.example>', '<a https://a.example/>https://a.example</a>'],
    ['<mailto:ana@a.example>', '<a mailto:ana@a.example>ana@a.example</a>'],
    ['<@U1> <@U9|guest> <@U8>', '[@ana] [@guest] [@U8]'],
    ['<#C1> <#C9|gone> <!subteam^S1> <!subteam^S2|@two>', '[#alerts] [#gone] [@on-call] [@two]'],
    ['<!here> <!channel> <!everyone> <!new|label>', '[@here] [@channel] [@everyone] label'],
    [':fire: :+1: :no_such_code: 10:30:45', '🔥 👍 :no_such_code: 10:30:45'],
    ['a < b > c <b>', 'a < b > c <b>'],
    ['<!date^nonsense^{time}|fall &amp; back>', 'fall & back'],
    ['<!date^1772719200^{time}^https://a.example/|x>', '<a https://a.example/>14:00</a>'],
  ]
  for (const [text, expected] of cases) {
    await gallery.showMrkdwn(text)
    expect(await shown(gallery), text).toBe(expected)
  }
})

test('bare addresses are links where verbatim is not set, and only there', async () => {
  const gallery = await openGallery(stage)
  const text = 'see https://a.example/x_y_z, or not'
  await gallery.show([{ type: 'section', text: { type: 'mrkdwn', text } }])
  expect(await shown(gallery)).toBe('see <a https://a.example/x_y_z>https://a.example/x_y_z</a>, or not')
  await gallery.show([{ type: 'section', text: mrkdwn(text) }])
  expect(await shown(gallery)).toBe(text)
})

test("dates are told in the viewer's zone, with every token", async () => {
  const gallery = await openGallery(stage, { timeZone: 'America/New_York' })
  const at = Date.parse('2026-03-05T02:03:09Z') / 1_000
  const cases: readonly [format: string, at: number, expected: string][] = [
    ['{date_num} {time} {time_secs}', at, '2026-03-04 21:03 21:03:09'],
    ['{date} {date_short} {date_long}', at, 'March 4th Mar 4 Wednesday, March 4th, 2026'],
    ['{date_pretty} {date_short_pretty} {date_long_pretty}', at, 'yesterday yesterday yesterday'],
    ['{date} {date_short}', at - 86_400 * 400, 'January 28th, 2025 Jan 28, 2025'],
    ['{ago}', at - 3 * 86_400, '3 days ago'],
    ['{unknown}', at, '{unknown}'],
  ]
  for (const [format, seconds, expected] of cases) {
    await gallery.showMrkdwn(`<!date^${seconds}^${format}|x>`)
    expect(await shown(gallery), format).toBe(expected)
  }
})

test('every emoji that the workspace stores as a code comes back', async () => {
  const gallery = await openGallery(stage)
  const sent = [...'🔴🟢🟡🟠🔵🔔🔕🔇🚨🔥✅❌👀👋👍🎉🚀📌📈📉📊📝🔗⏰🔧🙈💾🧵🔁']
  await gallery.showMrkdwn(tidyText(sent.join(' '), { links: false }))
  expect(await shown(gallery)).toBe(sent.join(' '))
  await gallery.showMrkdwn(':octagonal_sign: :man_firefighter: :-1: :large_yellow_square:')
  expect(await shown(gallery)).toBe('🛑 👨‍🚒 👎 🟨')
})

describe('hostile text stays text', () => {
  const attacks = [
    '<script>globalThis.hacked = 1</script>',
    '<img src=x onerror="globalThis.hacked = 1">',
    '"><svg onload=globalThis.hacked=1>',
    "'; globalThis.hacked = 1; //",
    '<a href="javascript:globalThis.hacked=1">click</a>',
  ]

  test('wherever a text can stand', async () => {
    const gallery = await openGallery(stage)
    for (const attack of attacks) {
      const escaped = attack.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
      await gallery.show(
        [
          { type: 'section', text: mrkdwn(attack), fields: [mrkdwn(escaped), plain(attack)] },
          { type: 'context', elements: [mrkdwn(`\`${escaped}\``), plain(attack)] },
          { type: 'image', image_url: attack, alt_text: attack },
          { type: attack, text: attack },
          actions(button(attack, 'a', { accessibility_label: attack, style: attack }), {
            type: 'static_select',
            action_id: 's',
            placeholder: plain(attack),
            options: [option(attack)],
          }),
          input(attack, {
            type: 'plain_text_input',
            action_id: 'i',
            initial_value: attack,
            placeholder: plain(attack),
          }),
        ],
        { errors: { i_block: attack } },
      )
      const { page } = gallery
      await page.locator('.bk-select').click()
      expect(await page.locator('script, svg, #stage a[href^=java], [onerror], [onload]').count()).toBe(
        await page.locator('head script').count(),
      )
      expect(await page.evaluate('globalThis.hacked')).toBeUndefined()
      expect(await page.locator('.bk-fields .bk-plain').innerText()).toBe(attack)
      expect(await page.locator('.bk-field').inputValue()).toBe(attack)
      expect(await page.locator('.bk-input-error').innerText()).toBe(attack)
      expect(await page.getByRole('option').innerText()).toBe(attack)
    }
  })

  test('only http, https and mailto become links', async () => {
    const gallery = await openGallery(stage)
    const bad = ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'vbscript:x', 'blob:x']
    for (const url of bad) {
      await gallery.show([
        { type: 'section', text: mrkdwn(`<${url}|harmless>`) },
        actions(button('Go', 'go', { url })),
      ])
      expect(await gallery.page.locator('#stage a').count(), url).toBe(0)
      expect(await gallery.page.locator('#stage').innerText()).toContain('harmless')
    }
  })

  test('nothing turns the direction of writing or hides between letters', async () => {
    const gallery = await openGallery(stage)
    const text = 'pay\u202egnp.exe\u202c \u2066x\u2069 a\u200bb \u0007 \u2028new 👨\u200d🚒'
    await gallery.show([{ type: 'section', text: mrkdwn(text) }, actions(button(text, 'b'))])
    const clean = 'paygnp.exe x ab  new 👨\u200d🚒'
    const texts = await gallery.page.locator('.bk-section-body, .bk-button').allTextContents()
    expect(texts).toEqual([clean, clean])
  })
})
