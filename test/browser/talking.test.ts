/** People talk and ask: the composer, commands, threads, what is unread, and acting as somebody else. */
import { expect, test } from 'vitest'
import { openPage } from './browser.ts'
import { openStage } from './small-bot.ts'

const composer = { name: 'Message #alerts' }

test('a command completes from what the app has, and its answer is for whoever asked', async () => {
  const { workspace } = await openStage()
  const page = await openPage(workspace.url)
  const input = page.getByLabel('Message #alerts')
  await input.pressSequentially('/m')
  const offers = page.getByRole('listbox', { name: 'Commands' }).getByRole('option')
  expect(await offers.allTextContents()).toEqual([
    '/mon[help | status | alerts | mute]Ask monbot',
    '/monitorThe same, in full',
  ])
  await page.keyboard.press('ArrowDown')
  expect(await offers.nth(1).getAttribute('aria-selected')).toBe('true')
  await page.keyboard.press('Escape')
  await expect.poll(() => offers.count()).toBe(0)
  await input.pressSequentially('o')
  await page.keyboard.press('Tab')
  expect(await input.inputValue()).toBe('/mon ')
  await page.getByText('/mon [help | status | alerts | mute]').waitFor()
  await page.keyboard.type('alerts')
  await page.keyboard.press('Enter')
  const answer = page.locator('.message', { hasText: 'No open alerts.' })
  await answer.getByText('Only visible to you').waitFor()
  expect(await input.inputValue()).toBe('')
  expect(workspace.messages('alerts')).toEqual([])
})

test('a command that nobody answers fails in words, as does one that does not exist', async () => {
  const { workspace } = await openStage()
  const page = await openPage(workspace.url, { expected: [/409 \(Conflict\)/] })
  await page.getByLabel('Message #alerts').fill('/silent now')
  await page.keyboard.press('Enter')
  await page.getByLabel('Message #alerts').fill('/nonsense')
  await page.keyboard.press('Enter')
  const messages = page.locator('.front .message')
  await messages.getByText('/nonsense failed. That did not work (invalid_command)').waitFor()
  await messages.getByText('/silent failed. The app did not answer in time (operation_timeout).').waitFor()
  expect(await messages.getByText('Slackbot').count()).toBe(2)
  await messages.getByRole('button', { name: 'Dismiss' }).first().click()
  await expect.poll(() => messages.count()).toBe(1)
})

test('Enter sends, Shift+Enter begins a line, and names become mentions', async () => {
  const { workspace } = await openStage()
  const page = await openPage(workspace.url)
  await page.getByRole('textbox', composer).click()
  await page.keyboard.type('@ben look at')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('1 < 2 & #db')
  await page.keyboard.press('Enter')
  const text = page.locator('.front .message-text')
  await text.getByText('@ben look at').waitFor()
  await expect.poll(() => text.innerText()).toBe('@ben look at\n1 < 2 & #db')
  expect(workspace.messages('alerts')[0]).toMatchObject({
    user: workspace.person('ana').id,
    text: `<@${workspace.person('ben').id}> look at\n1 &lt; 2 &amp; <#${workspace.channel('db').id}>`,
  })
})

test('a thread opens beside the channel, takes a reply, and the channel counts it', async () => {
  const { workspace, card, bot } = await openStage()
  const ts = await card('Disk on db-1')
  const page = await openPage(workspace.url)
  const message = page.locator('.front .message', { hasText: 'Disk on db-1' })
  await message.hover()
  await message.getByRole('link', { name: 'Reply in thread' }).click()
  const thread = page.getByRole('complementary', { name: 'Thread' })
  await thread.getByText('Disk on db-1').waitFor()
  await page.keyboard.type('I am on it')
  await page.keyboard.press('Enter')
  await thread.getByText('I am on it').waitFor()
  await message.getByText('1 reply').waitFor()
  await bot.client.chat.postMessage({ channel: '#alerts', thread_ts: ts, text: 'Muted by ana' })
  await thread.getByText('Muted by ana').waitFor()
  await message.getByText('2 replies').waitFor()
  expect(await page.locator('.front .message').count()).toBe(1)
  await page.keyboard.type('/mon alerts')
  await page.keyboard.press('Enter')
  await thread.getByText('/mon is not supported in threads. Sorry!').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => thread.count()).toBe(0)

  const phone = await openPage(`${workspace.url}#/${workspace.channel('alerts').id}/${ts}`, { width: 390 })
  await phone.getByRole('complementary', { name: 'Thread' }).getByText('Muted by ana').waitFor()
  expect(await phone.locator('.front').isVisible()).toBe(false)
  await phone.getByRole('link', { name: 'Back to the channel' }).click()
  await phone.locator('.front').getByText('2 replies').waitFor()
})

test('what is unread is counted for each person until they look', async () => {
  const { workspace, bot } = await openStage()
  const { acts } = workspace
  const page = await openPage(workspace.url)
  await page.getByText('Nothing has been said here yet.').waitFor()
  await acts.say({ user: 'ben', channel: '#db', text: 'hello' })
  await bot.client.chat.postMessage({ channel: '#db', text: 'the disk fills' })
  await acts.say({ user: 'ana', channel: '#general', text: 'my own words' })
  await acts.say({ user: 'ben', channel: '#alerts', text: 'seen at once' })
  const link = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true })
  await link('db 2 unread').waitFor()
  expect(await page.title()).toBe('(2) · alerts · Local')
  await link('general').waitFor()

  await link('db 2 unread').click()
  await page.locator('.message', { hasText: 'the disk fills' }).waitFor()
  await expect.poll(() => page.title()).toBe('db · Local')
  await link('alerts').click()
  await page.getByText('seen at once').last().waitFor()
  await link('db').waitFor()
  await acts.say({ user: 'ben', channel: '#db', text: 'and again' })
  await link('db 1 unread').waitFor()
  await page.reload()
  await link('db 1 unread').waitFor()
  await link('db 1 unread').click()
  await page.locator('.message', { hasText: 'and again' }).getByText('New', { exact: true }).waitFor()

  await page.getByLabel('Act as').selectOption('Cleo Tanaka')
  await link('general 1 unread').waitFor()
})

test('a person sees and writes what that person may', async () => {
  const { workspace } = await openStage()
  await workspace.acts.kick({ channel: '#private-ops', who: 'ben' })
  await workspace.acts.kick({ channel: '#random', who: 'ben' })
  const page = await openPage(workspace.url)
  const places = page.getByRole('navigation', { name: 'Channels' })
  await places.getByRole('link', { name: 'private-ops' }).waitFor()
  await places.getByRole('link', { name: 'old-alerts' }).click()
  await page.getByText('This channel is archived.').waitFor()
  await page.getByLabel('Act as').selectOption('Ben Okafor')
  await expect.poll(() => places.getByRole('link', { name: 'private-ops' }).count()).toBe(0)
  await places.getByRole('link', { name: 'random' }).click()
  await page.getByText('You are not in this channel').waitFor()
  await workspace.acts.invite({ channel: '#random', who: 'ben' })
  await page.getByRole('textbox', { name: 'Message #random' }).fill('thanks')
  await page.keyboard.press('Enter')
  await page.locator('.message', { hasText: 'Ben Okafor' }).getByText('thanks').waitFor()
})
