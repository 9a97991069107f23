/** How bad an alert is: as the first matching rule of the policy says, else as the API says, else a warning. */
import type { Alert } from './alert.ts'
import { type AlertMatch, isMatch, type Matched } from './match.ts'
import { type Severity, usualSeverity } from './severity.ts'

/** One rule of the policy; the first that matches wins. */
export type SeverityRule = { readonly match: AlertMatch; readonly is: Severity }

export function gradeOf(
  alert: Matched & Pick<Alert, 'saidSeverity'>,
  rules: readonly SeverityRule[],
): Severity {
  return rules.find(({ match }) => isMatch(alert, match))?.is ?? alert.saidSeverity ?? usualSeverity
}
