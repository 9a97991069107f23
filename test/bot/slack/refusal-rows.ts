/** Every refusal, with why not and what to do next: a kind without a row does not compile. */
import type { Refusal } from '../../../src/bot/domain/request/reply.ts'
import { aMute } from '../../support/acting-rows.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { minuteMs } from './card-views.ts'

type RefusalRow = readonly [refusal: Refusal, says: readonly RegExp[]]

/** The first says why not, the others what to do next. */
export const refusals = {
  not_permitted: [
    [
      { why: 'not_permitted', act: 'mute_account', audience: ['U2', 'S0LEADS'] },
      [/^🔒 You may not mute the whole account: only <@U2>, <!subteam\^S0LEADS> may\. /, /ask one of them/],
    ],
    [
      { why: 'not_permitted', act: 'mute_server', audience: ['S0GONE'], gone: ['S0GONE'] },
      [
        /^🔒 You may not mute servers: only /,
        /no longer knows the user group `S0GONE`.*`permissions: mute_server`/,
      ],
    ],
    [
      { why: 'not_permitted', act: 'add_marker', audience: 'nobody' },
      [/^🔒 Dropping markers is disabled in the policy\. Nothing changed\.\n/],
    ],
    [
      { why: 'not_permitted', act: 'delete_metrics', audience: 'nobody' },
      [/^🔒 Deleting metrics is disabled in the policy\. /, /policy file: `permissions: delete_metric`$/],
    ],
  ],
  other_workspace: [
    [{ why: 'other_workspace' }, [/only from people of its own workspace\. Nothing changed\.$/]],
  ],
  unknown_card: [
    [
      { why: 'unknown_card' },
      [
        /^monbot no longer knows this message: it is old, was replaced, or its memory was restored\. Nothing changed\.\n/,
        /`\/mon alerts`.*`\/mon mutes`$/,
      ],
    ],
    [{ why: 'unknown_card', alert: '7' }, [/^monbot no longer knows the alert of this message, `#7`: /]],
  ],
  not_on_card: [[{ why: 'not_on_card' }, [/^Works only on the card of one alert\.$/]]],
  groups_unread: [
    [
      { why: 'groups_unread', act: 'mute_server', words: 'Slack did not answer' },
      [
        /may mute servers, and Slack did not say who is in them\. Slack did not answer\./,
        /try again in a minute/,
      ],
    ],
  ],
  unknown_server: [
    [
      { why: 'unknown_server', server: 'wbe-1', similar: ['web-2', 'web-1', 'web-12'] },
      [/^No server `wbe-1`\. Did you mean `web-2`, `web-1` or `web-12`\?$/],
    ],
    [
      { why: 'unknown_server', server: 'x', similar: ['xx'], mayBeRole: true },
      [/^No role or server `x`\. Did you mean `xx`\?$/],
    ],
    [{ why: 'unknown_server', server: 'x', similar: [] }, [/^No server `x`\.\n/, /`\/mon roles`$/]],
    [
      { why: 'unknown_server', server: 'web-1', similar: [], answer: 'the monitoring API returned HTTP 404' },
      [
        /^⚠️ The monitoring API says that it does not know `web-1`, although monbot does, from an alert or a role\.\n/,
        /\nThe monitoring API returned HTTP 404\. Nothing changed\.$/,
      ],
    ],
  ],
  unknown_command: [
    [
      { why: 'unknown_command', command: 'mut', similar: ['mute'] },
      [/^No command `\/mon mut`\. Did you mean `\/mon mute`\?/, /`\/mon help`$/],
    ],
  ],
  unknown_alert: [
    [{ why: 'unknown_alert', alert: '99' }, [/^No alert or server `99`\.\n/, /`\/mon alerts`$/]],
    [
      { why: 'unknown_alert', alert: 's-1,s-2' },
      [/^No alert or server `s-1,s-2`\./, /\nGive one alert or server at a time\.\n/],
    ],
    [
      { why: 'unknown_alert', alert: 'wbe-1', similar: ['web-1'] },
      [/^No alert or server `wbe-1`\. Did you mean `web-1`\?\n/, /`\/mon alerts`$/],
    ],
  ],
  many_alerts: [
    [
      { why: 'many_alerts', server: 'web-1', alerts: [anAlert('7'), anAlert('8')] },
      [
        /^\*web-1\* has 2 open alerts\. Which one\?/,
        /`\/mon ack #7`/,
        /\n🔴 .*web-8\S* Load Average: last minute \*?3\.5\*? \(limit 3\) · [^·]+ · unacknowledged · #8$/,
      ],
    ],
    [
      { why: 'many_alerts', topic: 'unack', server: 'web-1', alerts: [anAlert('7'), anAlert('8')] },
      [/`\/mon unack #7`/],
    ],
    [
      {
        why: 'many_alerts',
        topic: 'note',
        server: 'web-1',
        alerts: [anAlert('7')],
        note: 'swapped the disk',
      },
      [/`\/mon note #7 swapped the disk`/],
    ],
    [
      {
        why: 'many_alerts',
        topic: 'note',
        server: 'web-1',
        alerts: [anAlert('7')],
        note: 'word '.repeat(100),
      },
      [/`\/mon note #7 &lt;text&gt;`/, /\nYour text: (?:word ){99}word$/],
    ],
  ],
  none_open: [
    [
      {
        why: 'none_open',
        server: 'web-1',
        last: anAlert('7', { state: 'closed', closedMs: Date.UTC(2026, 10, 21, 4, 12) }),
      },
      [
        /^\*web-1\* has no open alerts\. The last one, #7 Load Average, closed .*Nothing changed\./,
        /note #7/,
      ],
    ],
    [{ why: 'none_open', server: 'web-1', last: null }, [/^\*web-1\* has no open or recent alerts\.$/]],
  ],
  unknown_metric: [
    [
      { why: 'unknown_metric', server: 'web-1', metric: 'cpuu', similar: ['cpu'] },
      [/^\*web-1\* has no metric `cpuu`\. Did you mean `cpu`\?/, /`\/mon chart web-1`$/],
    ],
  ],
  no_match: [
    [{ why: 'no_match', pattern: 'db-*' }, [/matches `db-\*`\. Nothing changed\./, /`\/mon roles`$/]],
  ],
  too_many_servers: [
    [
      { why: 'too_many_servers', to: 'mute', count: 60, max: 50 },
      [/^That is 60 servers; at most 50 can be muted at once\./, /`\/mon mute account`$/],
    ],
    [
      { why: 'too_many_servers', to: 'ask_about', count: 1_200, max: 1_000 },
      [/^That is 1200 servers; at most 1000 can be asked about at once\./, /`web-\*` for fewer of them\.$/],
    ],
  ],
  not_muted: [
    [
      { why: 'not_muted', server: 'web-1' },
      [/^\*web-1\* is not muted\. Nothing changed\./, /`\/mon mutes`$/],
    ],
    [
      { why: 'not_muted', server: 'web-1', others: ['web-2'] },
      [/^\*web-1\*, \*web-2\* are not muted\. Nothing changed\./],
    ],
    [{ why: 'not_muted', server: null }, [/^The whole account is not muted\./]],
    [
      { why: 'not_muted', server: 'web-1', isAccountMuted: true },
      [/^\*web-1\* has no mute of its own: the whole account is muted\./, /`\/mon unmute account`$/],
    ],
  ],
  too_long: [
    [{ why: 'too_long', maxMs: 30 * 24 * 60 * minuteMs }, [/^That is too long: at most 30 d\./, /extended/]],
    [
      { why: 'too_long', maxMs: 30 * 24 * 60 * minuteMs, topic: 'report' },
      [/^That is too long: at most 30 d\.$/],
    ],
  ],
  too_short: [[{ why: 'too_short', minMs: minuteMs }, [/^That is too short: at least 1 min\./]]],
  reason_missing: [[{ why: 'reason_missing' }, [/^Please give a reason/, /`\/mon mute account 30m [^`]+`$/]]],
  mute_replaced: [
    [
      { why: 'mute_replaced', mute: aMute('m1', { userId: 'U0BEN' }) },
      [/^That mute has been replaced since\. Nothing changed\./, /🔕 \*web-1\* muted by <@U0BEN> until/],
    ],
  ],
  undo_too_late: [
    [{ why: 'undo_too_late' }, [/^Too late to undo\.$/]],
    [{ why: 'undo_too_late', mute: aMute('m1') }, [/^Too late to undo\.$/]],
  ],
  no_unit: [
    [
      { why: 'no_unit', number: '90', left: '90', meant: 'mute web-1 90m' },
      [/^90 needs a unit: 90m\? Nothing changed\.$/],
    ],
  ],
  pending_gone: [[{ why: 'pending_gone' }, [/^This question was answered already/, /ask again\.$/]]],
  name_differs: [
    [
      { why: 'name_differs', expected: 'web-1', typed: 'web1' },
      [/^You typed `web1`, which is not `web-1`\./, /Nothing was deleted\. Type the name/],
    ],
    [
      { why: 'name_differs', expected: 'm'.repeat(1_000), typed: 'm' },
      [/^You typed `m`, which is not `m{1000}`\./],
    ],
  ],
  invalid: [
    [
      { why: 'invalid', expected: '/mon ack <alert>', came: '/mon ack' },
      [/^Usage: `\/mon ack &lt;alert&gt;`\n/, /`\/mon help`$/],
    ],
    [
      { why: 'invalid', expected: 'a duration with a unit, such as 90s', came: '5' },
      [/^Please use a duration with a unit, such as 90s, not `5`\./, /`\/mon help`$/],
    ],
    [
      { why: 'invalid', expected: 'a duration', came: '5', topic: 'mute account' },
      [/not `5`\./, /`\/mon help mute account`$/],
    ],
    [
      { why: 'invalid', wanted: 'note', came: '', topic: 'note' },
      [/^Please give the text of the note\.\n/, /`\/mon help note`$/],
    ],
    [
      { why: 'invalid', wanted: 'roles', came: 'a,b' },
      [/use 1 to 20 role names, each without a comma and at most 200 characters long, not `a,b`\./],
    ],
    [
      { why: 'invalid', wanted: 'existing_roles', came: 'web' },
      [/roles that still exist, or a new one under .New roles., not `web`\./],
    ],
    [
      { why: 'invalid', wanted: 'metrics', came: 'a,,b' },
      [/use 1 to 20 names of custom metrics, separated by commas, not `a,,b`\./],
    ],
  ],
  unknown_servers: [
    [
      {
        why: 'unknown_servers',
        act: 'mute_server',
        servers: [
          { server: 'wbe-1', similar: ['web-1', 'web-2'] },
          { server: 'mail', similar: [] },
        ],
        unread: null,
      },
      [
        /^⚠️ Nothing was muted: 2 of these servers are not known\.\n/,
        /\n• `wbe-1` Did you mean `web-1` or `web-2`\?\n/,
        /\n• `mail`\n/,
        /by itself: `\/mon mute wbe-1`$/,
      ],
    ],
    [
      {
        why: 'unknown_servers',
        act: 'mute_server',
        servers: [{ server: 'mail', similar: [] }],
        unread: 'It is away.',
      },
      [/one of these servers is not known/, /`mail`/, /cannot be read now\. It is away\.$/],
    ],
    [
      {
        why: 'unknown_servers',
        act: 'unmute_server',
        servers: [{ server: 'mail', similar: [] }],
        unread: null,
      },
      [/^⚠️ Nothing was unmuted: one of these/, /can be unmuted by itself: `\/mon unmute mail`$/],
    ],
  ],
  no_matchers: [
    [
      { why: 'no_matchers' },
      [/^Only a service in front of an Alertmanager can mute by labels\./, /`\/mon mute #123 2h`/],
    ],
  ],
  too_many_alert_mutes: [
    [
      { why: 'too_many_alert_mutes', max: 500 },
      [/^500 alerts are muted by themselves already/, /`\/mon mutes`$/],
    ],
  ],
  alert_not_muted: [
    [
      { why: 'alert_not_muted', what: 'Disk on db-1' },
      [/^\*Disk on db-1\* has no mute of its own\. Nothing changed\./, /`\/mon mutes`$/],
    ],
    [
      { why: 'alert_not_muted', what: 'Disk on db-1', by: aMute('m1', { subject: 'db-1' }) },
      [/^\*Disk on db-1\* has no mute of its own: \*db-1\* is muted until .*\. Nothing changed\.$/],
    ],
  ],
  planned_changed: [
    [{ why: 'planned_changed', is: 'gone' }, [/^It is planned no more/, /`\/mon mutes`$/]],
    [{ why: 'planned_changed', is: 'begun' }, [/^It has begun already/, /`\/mon mutes`$/]],
    [{ why: 'planned_changed', is: 'skipped' }, [/^It is skipped already\. Nothing changed\./]],
    [{ why: 'planned_changed', is: 'of_policy' }, [/^The policy file plans it: skip it once/]],
  ],
  misplaced: [
    [
      { why: 'misplaced', what: 'end', came: '2h', command: '/mon mute web-1 2h deploying' },
      [/^Put the time before the reason: `2h` came after it\./, /`\/mon mute web-1 2h deploying`\?$/],
    ],
    [
      { why: 'misplaced', what: 'server', came: 'web-2', command: '/mon mute web-1,web-2 2h' },
      [
        /^Join several servers with commas: `web-2` came after a space\./,
        /mean `\/mon mute web-1,web-2 2h`\?/,
      ],
    ],
  ],
  not_a_person: [
    [
      { why: 'not_a_person', userId: 'U9', is: 'bot' },
      [/^<@U9> is an app, and nobody would be on it\. Nothing changed: choose somebody else\.$/],
    ],
    [{ why: 'not_a_person', userId: 'U9', is: 'deactivated' }, [/^The account of <@U9> is deactivated\./]],
    [{ why: 'not_a_person', userId: 'U9', is: 'stranger' }, [/^<@U9> belongs to another workspace/]],
    [{ why: 'not_a_person', userId: 'U9', is: 'unknown' }, [/^Slack knows nobody by the id of <@U9>\./]],
  ],
} as const satisfies { [Why in Refusal['why']]: readonly (RefusalRow & readonly [{ why: Why }, unknown])[] }
