/** What a card shows of labels, description and links, none of which may mislead or call anybody. */
import { describe, expect, test } from 'vitest'
import { labelsFor } from '../../../src/bot/domain/card/details-shown.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { anAlert, someDetails } from '../../support/delivery-world.ts'
import { startedMs, view, words } from './card-views.ts'

const contextOf = (card: Parameters<typeof words>[0]) => words(card)[1] ?? ''
const labelled = (labels: Readonly<Record<string, string>>, names: readonly string[] | null = null) => {
  const about = {
    serverName: 'pay/web',
    hostname: 'pay/web',
    plugin: 'PodCrashLooping',
    metric: null,
    value: null,
  }
  const alert = { ...about, title: 'Pod web-7f is crash looping', details: someDetails({ labels }) }
  return view(alert, { labels: labelsFor(anAlert('1', alert), names) })
}

describe('labels', () => {
  test('stand in the context line and in the text, but none that the headline says', () => {
    const card = labelled({
      namespace: 'pay',
      pod: 'web-7f',
      container: 'app',
      job: 'kube',
      severity: 'page',
    })
    expect(contextOf(card)).toMatch(/ · container app · #1$/)
    expect(contextOf(card)).not.toMatch(/namespace|web-7f|job|severity/)
    expect(render(card).text).toContain(' · container app · #1')
  })

  test('are those of the policy, in its order, where it names some', () => {
    const labels = { namespace: 'shop', team: 'red', pod: 'api-1', zone: '' }
    expect(contextOf(labelled(labels, ['team', 'zone', 'absent', 'namespace']))).toContain(
      ' · team red · namespace shop · ',
    )
    expect(contextOf(labelled(labels, []))).not.toMatch(/team|shop|api/)
  })

  test('always name the cluster, which two servers of one name may differ in', () => {
    expect(contextOf(labelled({ cluster: 'eu-1', team: 'red' }, ['team']))).toContain(
      ' · cluster eu-1 · team red',
    )
    expect(contextOf(labelled({ cluster: 'pay' }, []))).not.toContain('cluster')
  })

  test.each([
    ['a part of a longer word is not said', { container: 'cras' }, true],
    ['nor is the beginning of a name', { container: 'web-7' }, true],
    ['a word is said, in any case', { container: 'CRASH' }, false],
  ])('%s', (_, labels, isShown) => {
    expect(contextOf(labelled(labels)).includes('container')).toBe(isShown)
  })

  test('that have one value stand there once, and of many five', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const card = labelled({ a: '1x', b: '1x', c: '2x', d: '3x', e: '4x', f: '5x', g: '6x' }, names)
    expect(contextOf(card)).toContain(' · a 1x · c 2x · d 3x · e 4x · f 5x · #1')
  })

  test('of the exporter that only reports it are left out, unless the policy names them', () => {
    const own = {
      job: 'node-exporter',
      namespace: 'monitoring',
      pod: 'node-exporter-x2',
      mountpoint: '/data',
    }
    expect(contextOf(labelled(own))).toMatch(/started|Started/)
    expect(contextOf(labelled(own))).not.toMatch(/monitoring|x2/)
    expect(contextOf(labelled(own))).toContain('mountpoint /data')
    expect(contextOf(labelled(own, ['pod']))).toContain('pod node-exporter-x2')
    const others = { ...own, job: 'kube-state-metrics' }
    expect(contextOf(labelled(others))).toContain('pod node-exporter-x2')
  })

  test('that are long or harmful are shortened and escaped, and the mention stays', () => {
    const text = '<!channel> @here *bold* '
    const labels = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((name, n) => [name, `${n}${text.repeat(10)}`]),
    )
    const roles = Array.from({ length: 5 }, () => '&'.repeat(300))
    const card = labelled(labels, ['a', 'b', 'c', 'd', 'e'])
    const called = { ...card, alert: { ...card.alert, roles }, mention: '<!subteam^S1>' }
    expect(contextOf(called).length).toBeLessThanOrEqual(3_000)
    expect(contextOf(called)).toMatch(/a 0&lt;!channel&gt; @here ∗bold∗ .* · <!subteam\^S1>$/)
    expect(contextOf(called).match(/<[^>]*>/g)).toEqual([expect.stringMatching(/^<!date/), '<!subteam^S1>'])
  })
})

describe('the description', () => {
  const described = (description: string, title = 'Pod is down') =>
    words(view({ title, startedMs, details: someDetails({ description }) })).slice(2, -1)
  const sentence = 'The pod restarts again and again because its configuration is wrong.'

  test('stands on the card, on one line', () => {
    expect(described(`${sentence}\n  Look at <!here> *its* log.`)).toEqual([
      `${sentence} Look at &lt;!here&gt; ∗its∗ log.`,
    ])
  })

  test.each([
    [160, 160],
    [161, 160],
  ])('of %i characters has %i of them there', (length, shown) => {
    const [line = ''] = described('x'.repeat(length))
    expect(line).toHaveLength(shown)
    expect(line.endsWith('…')).toBe(length > shown)
  })

  test('is cut at the end of a word', () => {
    expect(described(`${sentence} ${sentence} ${sentence}`)).toEqual([
      `${sentence} ${sentence} The pod restarts…`,
    ])
  })

  test.each([
    ['none', ''],
    ['what the title says', 'Pod is down'],
    ['a part of the title', 'is down'],
  ])('says nothing where it is %s', (_, description) => {
    expect(described(description)).toEqual([])
  })

  test('goes with the buttons once the alert is over', () => {
    const details = someDetails({ description: sentence })
    expect(words(view({ state: 'closed', closedMs: startedMs, details })).join()).not.toContain('restarts')
  })

  test('stands whole in the thread, in its own lines', () => {
    const alert = anAlert('1', { details: someDetails({ description: `${sentence}\n<!channel>` }) })
    const card = { kind: 'notice', topic: 'description', alert } as const
    expect(words(card)).toEqual([`${sentence}\n&lt;!channel&gt;`])
    expect(render(card).text).toBe(`${sentence}\n&lt;!channel&gt;`)
  })
})

test('a link whose text looks like another address does not show as one, and one that is none has no button', () => {
  const links = [
    { text: 'https://bank.example', url: 'https://evil.example/1' },
    { text: 'Bad', url: 'javascript:alert(1)' },
    { text: 'Dashboard', url: 'https://wiki.example/2' },
    { text: 'https://bank.example', url: 'https://evil.example/3' },
    { text: 'Long', url: `https://wiki.example/${'x'.repeat(2_950)}` },
  ]
  expect(words(view({}, { links })).slice(2)).toEqual([
    '[Acknowledge] [Mute… ▾] [Chart] [https://bank.example] [Dashboard] [⋯]',
    '<https://evil.example/3|https bank.example> · Long',
  ])
})
