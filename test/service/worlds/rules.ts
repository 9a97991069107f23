/** The rules of real teams as data: one row each, with an alert of it and what its card says. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Labels } from './engines.ts'

export type Row = {
  alert: string
  rule: Labels
  expr: string
  summary?: string
  labels: Labels
  value: number
  card: { server: string; unit?: string; limit?: string; silence?: string; value?: 'none'; drawn?: string }
}

export const files = ['kubernetes', 'node', 'apps']

export function read(file: string): string {
  return readFileSync(new URL(`../rules/${file}`, import.meta.url), 'utf8')
}

export function rulesIn(file: string): Row[] {
  return parse(read(`${file}.yml`))
}

/** What the card of a row says beside its value and title. */
export function told({ alert, rule, card }: Row) {
  const [limit, side] = card.limit?.split(' ') ?? []
  const metric = card.silence ? 'seconds_since_report' : alert
  return {
    server: card.server,
    metric,
    severity: rule.severity,
    units: card.unit,
    limit: limit && Number(limit),
    side,
  }
}
