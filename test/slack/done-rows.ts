/** What the person reads whose change was made: an action without a row does not compile. */
import type { Done, Reply } from '../../src/domain/request/reply.ts'
import { anAlert } from '../support/delivery-world.ts'

type Row = readonly [reply: Extract<Reply, { kind: 'done' }>, lines: readonly string[]]

export const doneRows: Readonly<Record<Done['act'], readonly Row[]>> = {
  add_roles: [
    [
      {
        kind: 'done',
        act: 'add_roles',
        server: 'web-1',
        roles: ['db', 'wbe', 'web'],
        created: ['wbe'],
        already: ['web'],
      },
      [
        '🏷️ *web-1* now has the roles db, wbe.',
        'wbe is a new role: check the spelling.',
        'It had the role web before.',
      ],
    ],
    [
      { kind: 'done', act: 'add_roles', server: 'web-1', roles: ['web'], created: [], already: ['web'] },
      ['🏷️ *web-1* has the role web already. Nothing changed.'],
    ],
  ],
  add_marker: [[{ kind: 'done', act: 'add_marker', text: 'deploy 12' }, ['📍 Marker dropped: deploy 12']]],
  acknowledge: [
    [
      { kind: 'done', act: 'acknowledge', alert: anAlert('1') },
      ['👀 You acknowledged Load Average on *web-1*. Its card says so to everyone.'],
    ],
  ],
  take_over: [
    [
      { kind: 'done', act: 'take_over', alerts: [anAlert('1')], owner: 'U2' },
      ['👀 You have Load Average on *web-1* now, and <@U2> was told.'],
    ],
    [
      { kind: 'done', act: 'take_over', alerts: [anAlert('1'), anAlert('2')], owner: null },
      ['👀 You have 2 alerts now.'],
    ],
    [
      { kind: 'done', act: 'take_over', alerts: [], owner: 'U1' },
      ['👀 You already have it. Nothing changed.'],
    ],
  ],
  unacknowledge: [
    [
      { kind: 'done', act: 'unacknowledge', alerts: [anAlert('1')], owner: 'U1' },
      ['↩️ Load Average on *web-1* is handed back: nobody is on it now, and reminders start again.'],
    ],
    [
      { kind: 'done', act: 'unacknowledge', alerts: [anAlert('1'), anAlert('2')], owner: null },
      ['↩️ 2 alerts are handed back: nobody is on them now, and reminders start again.'],
    ],
  ],
  still_on_it: [
    [
      { kind: 'done', act: 'still_on_it', alerts: [anAlert('1')], owner: 'U1' },
      ['👀 Everyone sees that you are still on it.'],
    ],
  ],
  acknowledge_all: [
    [
      { kind: 'done', act: 'acknowledge_all', count: 28, others: 2, later: 0 },
      ['👀 You acknowledged 28 alerts. 2 were acknowledged by others before. The card says so to everyone.'],
    ],
    [
      { kind: 'done', act: 'acknowledge_all', count: 1, others: 0, later: 0 },
      ['👀 You acknowledged 1 alert. The card says so to everyone.'],
    ],
    [
      { kind: 'done', act: 'acknowledge_all', count: 0, others: 2, later: 0 },
      ['👀 Nothing was left to acknowledge: somebody is on all that are open. Nothing changed.'],
    ],
    [
      { kind: 'done', act: 'acknowledge_all', count: 0, others: 0, later: 0 },
      ['👀 Nothing was left to acknowledge: you acknowledged all that are open. Nothing changed.'],
    ],
    [
      { kind: 'done', act: 'acknowledge_all', count: 5, others: 0, later: 1 },
      [
        '👀 You acknowledged 5 alerts. The card says so to everyone.',
        '1 alert came after what you saw: press again to take it too.',
      ],
    ],
    [
      { kind: 'done', act: 'acknowledge_all', count: 0, others: 0, later: 2 },
      [
        '👀 Nothing was left to acknowledge: what you saw is acknowledged or closed. Nothing changed.',
        '2 alerts came after what you saw: press again to take them too.',
      ],
    ],
  ],
  add_note: [
    [
      { kind: 'done', act: 'add_note', alert: anAlert('1'), text: 'looking', isTold: true },
      ['📝 Your note stands in the thread of Load Average on *web-1*: looking'],
    ],
  ],
  set_no_data: [
    [
      { kind: 'done', act: 'set_no_data', server: 'web-1', group: 'DBA' },
      ['📨 If *web-1* sends no data, `DBA` is notified from now on.'],
    ],
  ],
  delete_server: [
    [{ kind: 'done', act: 'delete_server', server: 'web-1' }, ['🗑️ The server *web-1* is deleted.']],
  ],
  delete_metrics: [
    [{ kind: 'done', act: 'delete_metrics', names: ['a', 'b'] }, ['🗑️ 2 custom metrics deleted: a, b.']],
  ],
}
