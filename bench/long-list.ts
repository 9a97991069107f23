/**
 * Measures how one reading of a long open list does: `node bench/long-list.ts [alerts]`, 50,000 without a number. The real
 * service answers each request 20 ms late; the list is read once a page at a time and once with pages asked for ahead.
 */
import { type AskPage, sweep } from '../src/bot/monitor/listing/sweep.ts'
import { measured, sized } from './measured.ts'
import { openMonitored } from './polls.ts'

const answerMs = 20
const requestsMax = 2_500
const servers = 500

const [asked = String(sized(50_000, 200))] = process.argv.slice(2).filter((word) => word !== '--short')
const alerts = measured('alerts', Number(asked))
const { service, monitor } = await openMonitored()
const ask: AskPage = (offset) => monitor.alerts({ lifecycle: 'start', offset })

/** The same port, as a road on which only one request is at a time. */
function oneAtATime(page: AskPage): AskPage {
  let last: Promise<unknown> = Promise.resolve()
  return (offset) => {
    const next = last.then(() => page(offset))
    last = next.catch(() => null)
    return next
  }
}

async function read(how: string, page: AskPage): Promise<number> {
  global.gc?.()
  const beforeMb = process.memoryUsage().heapUsed / 1024 ** 2
  const startedMs = performance.now()
  const listing = await sweep(page, { requestsMax })
  const tookMs = performance.now() - startedMs
  global.gc?.()
  const keptMb = process.memoryUsage().heapUsed / 1024 ** 2 - beforeMb
  process.stdout.write(
    `| ${how} | ${listing.alertRecords.length} | ${listing.requests} | ${(tookMs / 1000).toFixed(1)} s | ${keptMb.toFixed(0)} MB |\n`,
  )
  if (!listing.complete || listing.alertRecords.length !== alerts)
    throw new Error('the list was not read whole')
  return tookMs
}

try {
  for (let n = 0; n < alerts; n += 1)
    service.openAlert({
      server: `web-${n % servers}`,
      plugin: `Probe ${n % 7}`,
      metric: 'value',
      title: `It is ${n}`,
    })
  // Orders end after 10,000 answers; all of both readings are late.
  service.orderFault({ times: 10_000, path: 'alerts.json', delayMs: answerMs })
  process.stdout.write('| read | alerts | requests | time | heap held |\n|---|---:|---:|---:|---:|\n')
  const one = await read('a page at a time', oneAtATime(ask))
  const ahead = await read('asked for ahead', ask)
  process.stdout.write(`\nratio of the times: ${measured('the ratio', one / ahead).toFixed(1)}\n`)
} finally {
  await monitor.close()
  await service.close()
}
