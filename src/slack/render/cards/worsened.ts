/** Alerts that became critical while they were open. */
import type { CardView } from '../../../domain/card/kinds.ts'
import { waitingOf } from '../../../domain/card/reminders.ts'
import { criticalOf } from '../../../domain/card/worsened.ts'
import { headline } from '../text/headline.ts'
import { type Rendered, sectionsOf, textOf } from '../text/message-parts.ts'
import { openLines } from '../text/open-lines.ts'
import { counted, inBlocks, inText, type When } from '../text/phrases.ts'
import { actionsOf } from './reminder.ts'

/** Who is called is called while it is so: an edit calls nobody. */
export function renderWorsened({ stamp, alerts, mention }: CardView<'worsened'>): Rendered {
  const critical = criticalOf(alerts)
  const [free] = critical.length === 1 ? waitingOf(critical) : []
  const called = mention === null || critical.length === 0 ? [] : [mention]
  const [only, ...others] = alerts
  const lines = (when: When): string[] => {
    if (critical.length === 0) {
      return others.length === 0 && only !== undefined
        ? [headline(only, when)]
        : [`None of the ${counted(alerts.length, 'alert')} that became critical is so any more`]
    }
    const some = critical.length === 1 ? '*Critical now*' : '*These are critical now*'
    const [first = '', ...rest] = openLines(critical, { none: '', some, when })
    return [[first, ...called].join(' '), ...rest]
  }
  return {
    text: textOf(lines(inText), '\n'),
    blocks: [...sectionsOf(lines(inBlocks)), ...(free === undefined ? [] : [actionsOf(stamp, free)])],
  }
}
