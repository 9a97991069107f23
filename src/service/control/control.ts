/**
 * The control API, which controls the service in demos and tests. It has no key, so it is off unless it has a port of its own on
 * loopback, which no proxy of the API's port reaches (`only-this-machine.ts` refuses the rest). Bodies and answers are JSON;
 * errors are `{message}`.
 *
 * GET    /control/state                     servers, account switch, markers, open alerts, number of keys, running scenarios GET
 * /control/series                    ?server&type&source&metric&seconds: one metric, its limits, mutes and markers GET
 * /control/scenarios                 names, descriptions and defaults POST   /control/scenarios/:name           {server?, count?,
 * seconds?} → {scenario, servers, alertIds, endsAtMs} POST   /control/busy                      {seconds: 0 to 120} → {pids}:
 * burns all cores of this machine for real POST   /control/alerts                    {server, plugin, metric?, value?, title?,
 * role?, seconds?} → {id} POST   /control/alerts/:id/close          → {id} of the closing record POST   /control/oneoffs
 * {server, plugin, title, role?} → {id} POST   /control/keys                      {key?} → {key, keys}: adds one, and shows it
 * only this once DELETE /control/keys/:position            removes one by its position from 0 DELETE /control/keys
 * {key}: removes one by its text GET    /control/faults                    orders that are not used up yet POST   /control/faults
 * {times?, seconds?, path?, status?, body?, delayMs?, reset?, hang?, cut?, drip?, wrong?, shiftSeconds?, applied?,
 * retryAfterSeconds?}; faults.ts explains each DELETE /control/faults                    forgets them GET    /control/requests
 * {"GET /alerts.json": 12, …} POST   /control/tick                      one evaluation, now
 */
import type { Context, Hono } from 'hono'
import { isScenario, scenarios } from '../alerts/scenarios.ts'
import type { Env } from '../api/answer.ts'
import { parseFields } from '../api/parameter.ts'
import { readBody } from '../api/parameters.ts'
import { Refusal } from '../refusal.ts'
import type { World } from '../world.ts'
import { type Faults, faultOrder } from './faults.ts'
import { isOfThisMachine } from './only-this-machine.ts'
import {
  alertOrder,
  busyOrder,
  keyOrder,
  keyRemoval,
  oneoffOrder,
  parseOrder,
  scenarioOrder,
} from './orders.ts'
import type { Running } from './running.ts'
import { seriesQuestion, tellSeries } from './series.ts'
import { tellState } from './state.ts'

export type ControlParts = {
  readonly faults: Faults
  readonly requests: () => Readonly<Record<string, number>>
  readonly running: Running
  tick(): Promise<void>
}

export function addControl(app: Hono<Env>, world: World, parts: ControlParts): void {
  const { faults, requests, running, tick } = parts
  app.use((c, next) => {
    if (!isOfThisMachine(c.env.incoming)) {
      throw new Refusal(403, 'the control API answers only requests that this machine makes to itself')
    }
    return next()
  })

  app.get('/control/state', (c) => c.json({ ...tellState(world), running: running.now() }))
  app.get('/control/series', (c) => c.json(tellSeries(world, parseFields(seriesQuestion, c.req.query()))))
  app.get('/control/scenarios', (c) => c.json({ scenarios }))
  app.post('/control/scenarios/:name', async (c) => {
    const name = c.req.param('name')
    const order = parseOrder(scenarioOrder, await bodyOf(c))
    if (!isScenario(name)) {
      throw new Refusal(404, `no such scenario; expected one of ${Object.keys(scenarios).join(', ')}`)
    }
    return c.json(running.noteScenario(world.startScenario(name, order)))
  })
  app.post('/control/busy', async (c) => {
    const { seconds } = parseOrder(busyOrder, await bodyOf(c))
    return c.json(running.makeBusy(seconds))
  })

  app.post('/control/alerts', async (c) =>
    c.json({ id: world.desk.openAlert(parseOrder(alertOrder, await bodyOf(c))) }),
  )
  app.post('/control/alerts/:id/close', (c) =>
    c.json({ id: world.desk.closeAlert(numberOf(c.req.param('id'))) }),
  )
  app.post('/control/oneoffs', async (c) =>
    c.json({ id: world.desk.oneoff(parseOrder(oneoffOrder, await bodyOf(c))) }),
  )

  app.post('/control/keys', async (c) => {
    const key = world.keys.add(parseOrder(keyOrder, await bodyOf(c)).key)
    return c.json({ key, keys: world.keys.count() })
  })
  app.delete('/control/keys', async (c) => {
    world.keys.remove(parseOrder(keyRemoval, await bodyOf(c)).key)
    return c.json({ keys: world.keys.count() })
  })
  app.delete('/control/keys/:position', (c) => {
    world.keys.remove(numberOf(c.req.param('position')))
    return c.json({ keys: world.keys.count() })
  })

  app.get('/control/faults', (c) => c.json({ faults: faults.pending() }))
  app.post('/control/faults', async (c) => {
    faults.order(parseOrder(faultOrder, await bodyOf(c)))
    return c.json({ faults: faults.pending() })
  })
  app.delete('/control/faults', (c) => {
    faults.clear()
    return c.json({ faults: faults.pending() })
  })
  app.get('/control/requests', (c) => c.json({ requests: requests() }))
  app.post('/control/tick', async (c) => {
    await tick()
    return c.json({ open_alerts: world.log.openAlerts().length })
  })
}

async function bodyOf(c: Context<Env>): Promise<string> {
  const { body } = c.req.raw
  return body === null ? '' : (await readBody(body)).toString('utf8')
}

function numberOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Refusal(422, 'path: expected a whole number; came other text')
  return Number(text)
}
