/** What a person reads who acknowledged all alerts of a card at once. */
import type { Reply } from '../../src/domain/request/reply.ts'

export const allAcknowledgedRows: readonly (readonly [
  Extract<Reply, { kind: 'all_acknowledged' }>,
  readonly string[],
])[] = [
  [
    { kind: 'all_acknowledged', count: 28, others: 2, later: 0 },
    ['👀 You acknowledged 28 alerts. 2 were acknowledged by others before. The card says so to everyone.'],
  ],
  [
    { kind: 'all_acknowledged', count: 1, others: 0, later: 0 },
    ['👀 You acknowledged 1 alert. The card says so to everyone.'],
  ],
  [
    { kind: 'all_acknowledged', count: 0, others: 2, later: 0 },
    ['👀 Nothing was left to acknowledge: somebody is on all that are open. Nothing changed.'],
  ],
  [
    { kind: 'all_acknowledged', count: 0, others: 0, later: 0 },
    ['👀 Nothing was left to acknowledge: you acknowledged all that are open. Nothing changed.'],
  ],
  [
    { kind: 'all_acknowledged', count: 5, others: 0, later: 1 },
    [
      '👀 You acknowledged 5 alerts. The card says so to everyone.',
      '1 alert came after what you saw: press again to take it too.',
    ],
  ],
  [
    { kind: 'all_acknowledged', count: 0, others: 0, later: 2 },
    [
      '👀 Nothing was left to acknowledge: what you saw is acknowledged or closed. Nothing changed.',
      '2 alerts came after what you saw: press again to take them too.',
    ],
  ],
]
