/** Asks Slack whether it would take all that monbot shows, each as long as it may be (docs/slack.md#asking-slack-about-blocks). Nobody sees any of it. */
import { WebAPIPlatformError, WebAPIRequestError, WebClient } from '@slack/web-api'
import type { SteadyClock } from '../flow/ports/ports.ts'
import { failureOf } from '../slack/errors.ts'
import { clientOptions } from '../slack/fetch.ts'
import { printable } from '../slack/mrkdwn.ts'
import { type Finding, ok, skipped, warning } from './finding.ts'
import { everySample, type Sample } from './samples/samples.ts'
import { silent } from './silent.ts'

const check = 'Slack cards'
/** Slack publishes no limit for this method: few at a time, and no longer than this without an answer. */
const askedAtOnce = 4
const silentMs = 30_000
/** Nothing is changed by asking, and a connection that Slack closes as a question leaves says nothing of Slack. */
const triesMax = 3
const refusalsTold = 5

/** The roots of Slack itself; any other may say yes to what Slack would refuse. */
const ownHosts = ['slack.com', 'slack-gov.com']

export async function blocksFindings(slackApiUrl: string, clock: SteadyClock): Promise<Finding[]> {
  const samples = everySample()
  const { refused, taken, why } = await askAbout(samples, slackApiUrl, clock)
  const told = refused.slice(0, refusalsTold).map((said) => warning(check, `refused: ${said}`, report))
  const rest = refused.length - told.length
  if (rest > 0) told.push(warning(check, `refused: ${rest} more of ${samples.length}`, report))
  if (why !== null) {
    const said = `not known whether Slack takes them all (${why}): ${taken} of ${samples.length} were taken`
    return [...told, skipped(check, said)]
  }
  if (refused.length > 0) return told
  const all = `all ${samples.length} samples of cards, answers, forms and Home`
  const host = new URL(slackApiUrl).hostname
  return ownHosts.includes(host.replace(/^.*\.(?=slack\.com$)/, ''))
    ? [ok(check, `Slack takes ${all}, each as long as it may be`)]
    : [skipped(check, `not known: Slack itself is not at ${host}, which takes ${all}`)]
}

const report =
  'Report this line: until it is mended, such a card comes as plain text, and such a form does not open.'

type Asked = {
  /** What was refused, and where. */
  readonly refused: string[]
  taken: number
  /** Why not all were asked about; null if all were. */
  why: string | null
}

async function askAbout(samples: readonly Sample[], slackApiUrl: string, clock: SteadyClock): Promise<Asked> {
  // It needs no token, so none is sent.
  const client = new WebClient(undefined, { ...clientOptions(slackApiUrl), logger: silent })
  const asked: Asked = { refused: [], taken: 0, why: null }
  const waiting = [...samples]
  let answeredMs = clock.steadyMs()

  async function askOneByOne(): Promise<void> {
    for (let one = waiting.shift(); one !== undefined && asked.why === null; one = waiting.shift()) {
      if (clock.steadyMs() > answeredMs + silentMs) asked.why = 'it took too long'
      else await ask(one)
    }
  }

  async function ask(sample: Sample, tries = 1): Promise<void> {
    let faults: readonly string[] | null = []
    try {
      await client.blocks.validate(sample.payload)
    } catch (error) {
      if (error instanceof WebAPIRequestError && tries < triesMax) return ask(sample, tries + 1)
      faults = faultsIn(error)
      if (faults === null) {
        asked.why ??= failureOf(error, 'be asked').code ?? 'no answer'
        return
      }
    }
    answeredMs = clock.steadyMs()
    const [first, ...others] = faults
    if (first === undefined) asked.taken += 1
    else
      asked.refused.push(`${sample.what}: ${first}${others.length > 0 ? ` (and ${others.length} more)` : ''}`)
  }

  await Promise.all(Array.from({ length: askedAtOnce }, askOneByOne))
  return asked
}

/** What Slack finds wrong, each with its place; null if it said nothing about the blocks. That the sample's picture is none is no fault. */
function faultsIn(error: unknown): readonly string[] | null {
  if (!(error instanceof WebAPIPlatformError) || !/^invalid_(?:blocks|message|view)$/.test(error.data.error))
    return null
  const { errors } = error.data as { errors?: unknown }
  if (!Array.isArray(errors) || errors.length === 0) return [`${error.data.error}, without saying where`]
  return errors.flatMap((fault) => {
    const { message, pointer } = Object(fault)
    if (/\/slack_file\b/.test(String(pointer)) && !/\/slack_file\/id$/.test(String(pointer))) return []
    return [`${printable(String(message), 200)} at ${printable(String(pointer), 200)}`]
  })
}
