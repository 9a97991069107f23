/** What is told about the alerts of a storm besides its card: pages, reminders, notes, and what joins it late. */
import { expect, test } from 'vitest'
import { joinStorm } from '../../../src/bot/domain/card/storm-cards.ts'
import { changeNotice, reminderCard } from '../../../src/bot/domain/card/thread-cards.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import type { Chat } from '../../../src/bot/flow/ports/ports.ts'
import { anEntry } from '../../support/acting-rows.ts'
import { actingWorld, muting, unmuting } from '../../support/acting-world.ts'
import { bareWorld } from '../../support/bare-world.ts'
import { deliverTo } from '../../support/delivery-town.ts'
import { anAlert, letPass } from '../../support/delivery-world.ts'
import { minuteMs, runningWorld } from '../../support/expiry-world.ts'
import { cards } from '../../support/poll-world.ts'
import { alertsOf, closingAll, storming } from '../../support/storm-delivery.ts'

test('a reminder of a storm did not call who was called for the alerts that joined it', async () => {
  const town = await runningWorld({
    reminderAfterMs: 15 * minuteMs,
    routes: [{ match: { server: 'db-1' }, channel: 'C1', mention: '<@U0DBA>' }],
  })
  const startedMs = town.clock.nowMs()
  const alerts = alertsOf(5).map((alert) => ({ ...alert, startedMs }))
  await town.store.commit(storming(alerts, startedMs))
  const storm = (await town.store.queues(['C1'])).get('C1')?.storms[0]
  if (!storm) throw new Error('the storm was just there')
  const late = anAlert('late', { hostname: 'db-1', startedMs })
  const joined = joinStorm(storm, 'C1', [{ alert: late, mention: '<@U0DBA>' }])
  await town.store.commit({ ...emptyPlan(startedMs), alerts: [{ alert: late, was: null }], ...joined })
  await town.said()
  await town.pass(17, { outage: true })
  const reminder = await town.store.nextJob('C1', town.clock.nowMs(), ['post'])
  expect(reminder?.view).toMatchObject({ kind: 'notice', topic: 'unacknowledged', mention: '<@U0DBA>' })
})

test('a page that was being posted while its storm was found deleted stayed in the thread that is gone', async () => {
  const { clock, store, chat: slack } = await bareWorld()
  let isDeleted = false
  const chat: Chat = {
    ...slack,
    post: async (to, view) => {
      if (view.kind === 'page' && view.page === 3 && !isDeleted) {
        isDeleted = true
        // Somebody deletes the storm's message, and an update finds that out, before Slack answers to the page.
        const at = slack.messages.findIndex((one) => one.view.kind === 'storm')
        slack.messages.splice(at, 1)
        await clock.wait(4_000)
      }
      return slack.post(to, view)
    },
  }
  const { commit } = deliverTo(chat, store, clock)
  const alerts = alertsOf(400)
  await commit(storming(alerts, clock.nowMs()))
  await letPass(clock, 3_500)
  await commit(closingAll(alerts.slice(0, 3), clock.nowMs()))
  await letPass(clock, minuteMs)
  const [storm] = slack.messages.filter(({ view }) => view.kind === 'storm')
  const pages = slack.messages.flatMap(({ view, threadTs }) =>
    view.kind === 'page' && threadTs === storm?.ts ? [view.page] : [],
  )
  expect(pages.toSorted()).toEqual([1, 2, 3, 4, 5])
})

test('a note about an alert of a storm was said to stand in its thread and stood nowhere', async () => {
  const world = await actingWorld()
  const nowMs = world.clock.nowMs()
  await world.store.commit(storming(alertsOf(5), nowMs, 'C0DB'))
  const note = { kind: 'add_note', alert: 'a3', text: 'looking' } as const
  expect(await world.does(note)).toMatchObject({ kind: 'done', act: 'add_note', isTold: true })
  const [storm] = await world.store.cardsOfKind('storm')
  await world.store.settle(storm?.cardId ?? '', { state: 'shown', ts: '1.1', shown: 1 })
  const jobs = await cards(world, 'C0DB')
  expect(jobs.find(({ view }) => view.kind === 'note')).toMatchObject({
    parentTs: '1.1',
    view: { note: { text: 'looking' }, about: { alertId: 'a3' } },
  })
})

test('a note about an alert that a mute hides was said to stand in a thread that there is not', async () => {
  const world = await actingWorld()
  const nowMs = world.clock.nowMs()
  await world.store.commit({ ...emptyPlan(nowMs), alerts: [{ alert: anAlert('1'), was: null }] })
  const note = { kind: 'add_note', alert: '1', text: 'looking' } as const
  expect(await world.does(note)).toMatchObject({ kind: 'done', act: 'add_note', isTold: false })
})

test('what joined a storm that Slack lets nobody edit any more was shown nowhere', async () => {
  const { clock, store, chat: slack } = await bareWorld()
  const chat: Chat = { ...slack, update: async () => ({ kind: 'frozen', why: 'edit_window_closed' }) }
  const { commit } = deliverTo(chat, store, clock)
  const queueIn = async () => (await store.queues(['C1'])).get('C1')
  await commit(storming(alertsOf(5), clock.nowMs()))
  await letPass(clock, 10_000)
  const storm = (await queueIn())?.storms[0]
  if (!storm) throw new Error('the storm was just there')
  const late = anAlert('late')
  const joined = joinStorm(storm, 'C1', [{ alert: late, mention: null }])
  const alerts = [{ alert: late, was: null }]
  await commit({ ...emptyPlan(clock.nowMs()), alerts, ...joined })
  await letPass(clock, 2 * minuteMs)
  const listed = slack.messages.flatMap(({ view }) => (view.kind === 'page' ? view.alerts : []))
  expect(listed.map(({ alertId }) => alertId)).toContain('late')
  // What comes from now on would be counted by nobody either: it gets cards of its own.
  expect(await queueIn()).toMatchObject({ storms: [] })
})

test('what only happened under a mute that a person ended was told nowhere', async () => {
  const world = await actingWorld({ isRunning: true })
  await world.does(muting('web-1'))
  world.clock.advance(minuteMs)
  const nowMs = world.clock.nowMs()
  const happened = { state: 'oneoff', hostname: 'web-1', startedMs: nowMs, firstSeenMs: nowMs } as const
  await world.store.commit({ ...emptyPlan(nowMs), alerts: [{ alert: anAlert('once', happened), was: null }] })
  await world.does(unmuting('web-1'))
  expect(await world.mutes()).toEqual([])
  expect(await world.store.cardsOfKind('alert')).toMatchObject([{ alertIds: ['once'] }])
})

test('in a channel that takes no replies, lists, reminders and who is on it reached nobody', async () => {
  const { clock, store, chat: slack } = await bareWorld()
  const tried: (string | null)[] = []
  const chat: Chat = {
    ...slack,
    post: async (to, view) => {
      tried.push(to.threadTs)
      const why = 'restricted_action_non_threadable_channel'
      return to.threadTs === null ? slack.post(to, view) : { kind: 'no_thread', why }
    },
  }
  const { commit } = deliverTo(chat, store, clock)
  const alerts = alertsOf(100)
  await commit(storming(alerts, clock.nowMs()))
  await letPass(clock, 10_000)
  const [card] = await store.cardsOfKind('storm')
  const root = { cardId: card?.cardId ?? '', channel: 'C1' }
  const entry = anEntry('e1', { act: 'acknowledge', alertId: 'a1', userId: 'U1' })
  await commit({
    ...emptyPlan(clock.nowMs()),
    cards: [reminderCard('1', alerts.slice(0, 3), { root, mention: null }), changeNotice(entry, root)],
    audit: [entry],
  })
  await letPass(clock, minuteMs)
  const shown = () => slack.messages.filter(({ threadTs }) => threadTs === null).map(({ view }) => view)
  expect(shown().map(({ kind }) => kind)).toEqual(['storm', 'page', 'page', 'notice', 'notice'])
  expect(shown().at(-2)).toMatchObject({
    kind: 'notice',
    topic: 'unacknowledged',
    isOfList: true,
    above: null,
  })
  expect(tried.filter((ts) => ts !== null)).toHaveLength(4)
  // What joins the storm goes on its last page, which is a message now, or on another one.
  const storm = (await store.queues(['C1'])).get('C1')?.storms[0]
  if (!storm) throw new Error('the storm was just there')
  expect(storm.pages.map(({ alertIds }) => alertIds.length)).toEqual([80, 20])
  const late = alertsOf(200).slice(100)
  const joined = joinStorm(
    storm,
    'C1',
    late.map((alert) => ({ alert, mention: null })),
  )
  await commit({
    ...emptyPlan(clock.nowMs()),
    alerts: late.map((alert) => ({ alert, was: null })),
    ...joined,
  })
  await letPass(clock, minuteMs)
  const listed = shown().flatMap((view) => (view.kind === 'page' ? view.alerts : []))
  expect(new Set(listed.map(({ alertId }) => alertId)).size).toBe(200)
})
