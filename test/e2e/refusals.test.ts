/** What is not done, and what the person reads instead: not permitted, not known, too late, twice, or the API is away. */
import { describe, expect, test } from 'vitest'
import { memoryOf } from '../support/bot-memory.ts'
import type { Person } from '../support/person.ts'
import { openAlert, policyFile, sharedTown, soon, threadOf, told, truthOf } from '../support/shared-town.ts'
import { openTown } from '../support/town.ts'

// Ana and cleo are on call; ben is not.
const town = sharedTown({
  service: { fleet: 24 },
  policy: [
    'permissions:',
    '  mute_server: [S0ONCALL01]',
    '  add_roles: [U0ANA00001]',
    '  set_no_data: nobody',
    '  add_note: [U0CLEO0001]',
  ],
  except: [/mute:not_ended/, /ask:failed/, /card:unknown/],
})
const api = () => truthOf(town().service)
const memory = () => memoryOf(town())
const person = (name: 'ana' | 'ben' | 'cleo') => town().person(name)

async function reads(who: Person, words: RegExp): Promise<void> {
  await expect.poll(() => who.sees().at(-1), soon).toMatch(words)
}

describe('who may not', () => {
  test('by command: the answer names who may, nothing changes, and the audit has it', async () => {
    await person('ben').types('/mon mute web-1 1h')
    await reads(
      person('ben'),
      /^🔒 You may not mute servers: only <!subteam\^S0ONCALL01> may\. Nothing changed; ask/,
    )
    await person('cleo').types('/mon mute web-1 1h')
    await reads(person('cleo'), /^🔕 web-1 is muted/)
    await person('ben').types('/mon unmute web-1')
    await reads(person('ben'), /^🔒 You may not unmute servers/)
    expect(memory().audit('web-1')).toEqual([
      'mute_server refused',
      'mute_server done',
      'unmute_server refused',
    ])
    expect(api().server('web-1')?.notifications).toBe(false)
  })

  test('by button and menu on a card, and by a shortcut', async () => {
    const ben = person('ben')
    const alert = await openAlert(town(), 'cache-1')
    await ben.chooses('Mute…', 'cache-1: 4 h', alert.card())
    await reads(ben, /^🔒 You may not mute servers/)
    await ben.picks('More', 'Add note…', alert.card())
    await reads(ben, /^🔒 You may not write notes: only <@U0CLEO0001> may/)
    await ben.opensHome()
    await ben.presses('Add roles…', 'home')
    // The Home tab has no channel: the answer comes as a direct message.
    const refused = /^🔒 You may not add roles: only <@U0ANA00001> may/
    await expect.poll(() => ben.inbox(), soon).toContainEqual(expect.stringMatching(refused))
    await ben.shortcuts('Add a note', alert.card())
    await reads(ben, /^🔒 You may not write notes: only <@U0CLEO0001> may/)
    expect(ben.modal()).toBeNull()
    // The menu and the shortcut were answered in the same words.
    const rows = ['mute_server refused', 'add_note refused', 'add_note refused']
    await expect.poll(() => memory().audit('cache-1'), soon).toEqual(rows)
    expect(threadOf(town(), alert.card())).toEqual([])
  })

  test('when a form is sent, by the policy that holds then', async () => {
    const own = await openTown({ service: { fleet: 24 } })
    const first = await own.bot({ MONBOT_CONFIG: policyFile(own, []) })
    const ben = own.person('ben')
    await ben.types('/mon mute account 30m maintenance')
    await expect.poll(() => ben.modal()?.title, soon).toBe('Mute the whole account')
    await first.kill('SIGTERM')
    // While he thinks about it, the account is given to those who are on call.
    await own.bot({ MONBOT_CONFIG: policyFile(own, ['permissions: { mute_account: [S0ONCALL01] }']) })
    await ben.submits()
    await expect
      .poll(() => ben.modal()?.words, soon)
      .toMatch(/^🔒 You may not mute the whole account: only <!subteam\^S0ONCALL01> may\..*What you wrote/s)
    expect(ben.modal()?.words).toContain('maintenance')
    expect(truthOf(own.service).isAccountOn()).toBe(true)
    own.expectQuiet()
  })

  test('deletions, and what the policy gives to nobody: the answer says which setting to change', async () => {
    const ana = person('ana')
    await ana.types('/mon server delete web-2')
    await reads(ana, /^🔒 Deleting servers is disabled in the policy\..*\n.*`permissions: delete_server`$/)
    await ana.types('/mon metric delete signups')
    await reads(ana, /`permissions: delete_metric`$/)
    await ana.types('/mon nodata web-2 on-call')
    await reads(ana, /^🔒 Setting no-data groups is disabled/)
    expect(ana.modal()).toBeNull()
    expect(api().server('web-2')).toMatchObject({ no_data_notification_group: null })
  })
})

test('an unknown server is answered with what was meant, an unknown command and alert too', async () => {
  const ana = person('ana')
  await ana.types('/mon mute wbe-3 1h')
  await reads(ana, /^No server `wbe-3`\. Did you mean .*`web-3`/)
  expect(memory().mutes()).not.toContain('wbe-3 active')
  await ana.types('/mon mtue web-3')
  await reads(ana, /^No command `\/mon mtue`\. Did you mean .*`\/mon mute`/)
  await ana.types('/mon ack #77')
  await reads(ana, /^No alert or server `#?77`/)
})

describe('while the API is away', () => {
  test('a 5xx that says no: nothing changed, or monbot makes sure of it', async () => {
    const ana = person('ana')
    town().service.orderFault({ path: 'POST /servers', status: 422 })
    await ana.types('/mon mute web-4 1h')
    await reads(ana, /^⚠️ Could not mute the server\. .*\nNothing changed: try again in a minute\./)
    expect(
      memory()
        .mutes()
        .filter((mute) => mute.startsWith('web-4')),
    ).toEqual([])
    town().service.orderFault({ path: 'POST /servers', status: 503 })
    await ana.types('/mon mute web-4 1h')
    await reads(
      ana,
      /^🔕 web-4 is muted in Slack until .*\nThe monitoring API has not confirmed it yet; still trying\./,
    )
    await expect
      .poll(
        () =>
          memory()
            .mutes()
            .filter((mute) => mute.startsWith('web-4')),
        soon,
      )
      .toEqual(['web-4 active'])
    expect(api().server('web-4')?.notifications).toBe(false)
  })

  test('a list that cannot be read says so', async () => {
    town().service.orderFault({ path: 'GET /roles', times: 100, status: 502, body: 'html' })
    await person('ana').types('/mon roles')
    await reads(person('ana'), /^⚠️ Could not read the roles\. .*\nTry again in a minute\.$/)
    town().service.clearFaults()
    await person('ana').types('/mon roles')
    await reads(person('ana'), /^Roles\n/)
  })

  test('it hangs: the command is acknowledged at once, and answered when it is known', async () => {
    const cleo = person('cleo')
    const heldMs = 8_000
    town().service.orderFault({ path: 'POST /servers', delayMs: heldMs })
    const beganMs = performance.now()
    await cleo.types('/mon mute web-5 1h slow')
    // Whoever is not acknowledged within three seconds is told so by the workspace.
    expect(cleo.sees().join('\n')).not.toContain('web-5')
    await reads(cleo, /^🔕 web-5 is muted until .* — slow/)
    expect(performance.now() - beganMs).toBeGreaterThan(heldMs - 500)
  })
})

describe('late and twice', () => {
  test('a click on a card that has closed meanwhile changes nothing, and says what changed', async () => {
    const ana = person('ana')
    const alert = await openAlert(town(), 'worker-1')
    // Slack goes on showing the card as it was.
    await town().workspace.acts.fault({
      method: 'chat.update',
      times: 30,
      effect: { kind: 'status', status: 503 },
    })
    town().service.closeAlert(alert.alertId)
    await expect.poll(() => memory().alert(alert.alertId), soon).toBe('closed')
    await ana.presses('Acknowledge', alert.card())
    await reads(ana, /^🟢 Load Average on worker-1 (?:just closed|closed (?:about )?.* ago)\.$/)
    expect(memory().audit('worker-1')).toEqual(['acknowledge nothing'])
    await town().workspace.acts.clearFaults({})
  })

  test('a double click is one effect: one call, one row, one message', async () => {
    const ana = person('ana')
    const alert = await openAlert(town(), 'db-2')
    const before = api().serverChanges()
    const mutes = () => ana.chooses('Mute…', 'db-2: 1 h', alert.card())
    await Promise.all([mutes(), mutes()])
    await expect.poll(() => threadOf(town(), alert.card()), soon).toHaveLength(1)
    expect(memory().audit('db-2')).toEqual(['mute_server done'])
    expect(api().serverChanges() - before).toBe(1)
    expect(ana.sees().filter((text) => text.startsWith('🔕 db-2'))).toHaveLength(1)
  })

  test('an envelope that Slack delivers again is one effect', async () => {
    const cleo = person('cleo')
    await town().workspace.acts.redeliver({ times: 1, afterMs: 300 })
    await cleo.types('/mon marker only once')
    await reads(cleo, /^📍 Marker dropped: only once$/)
    const again = () => town().workspace.acts.redeliver({ times: 0 })
    await expect.poll(() => told(town()).filter((text) => text.endsWith('only once')), soon).toHaveLength(1)
    await again()
    expect(
      api()
        .markers()
        .filter((notes) => notes === 'only once'),
    ).toHaveLength(1)
    expect(cleo.sees().filter((text) => text.endsWith('only once'))).toHaveLength(1)
  })
})
