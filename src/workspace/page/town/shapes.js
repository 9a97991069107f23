/**
 * What the workspace and the monitoring service tell the town, as far as it is shown. Types only; times are ISO 8601 where
 * the name does not say milliseconds.
 *
 * @import { VNode } from 'preact'
 * @typedef {VNode} Shown
 *
 * @typedef {object} Server
 * @property {string} hostname
 * @property {string} kind `machine` is this machine.
 * @property {string[]} roles
 * @property {boolean} notifications
 * @property {string | null} no_data_notification_group
 * @property {string | null} last_sample
 *
 * @typedef {object} Town
 * @property {string} now
 * @property {{ kind: string }} [source] `prometheus`: that one measures, and nothing is simulated.
 * @property {{ notifications: boolean }} account
 * @property {Server[]} servers
 * @property {{ server: string, plugin: string, title: string, time: string, muted: boolean }[]} open_alerts
 * @property {{ notes: string, time: string }[]} markers
 * @property {{ scenarios: { scenario: string, server: string, ends_at_ms: number }[], busy_until_ms: number | null }} running
 *
 * @typedef {{ status?: number, delayMs?: number, ends_at_ms: number | null }} ServiceFault
 * @typedef {{ effect: { kind: string }, endsAtMs?: number | null }} SlackFault
 *
 * @typedef {{ type: string, source: string, metric: string, label: string }} Metric
 * @typedef {Metric & {
 *   server: string, units: string, precision: number, value: number | null, metrics: Metric[],
 *   now_ms: number, from_ms: number, step_ms: number, points: ([low: number, mean: number, high: number] | null)[],
 *   limits: { side: string, value: number, met: boolean }[],
 *   markers: { notes: string, at_ms: number }[],
 * }} Series
 *
 * @typedef {{ town?: Town | undefined, serviceFaults: ServiceFault[], slackFaults: SlackFault[] }} Happening
 */

export {}
