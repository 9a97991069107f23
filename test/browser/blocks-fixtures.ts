/** One of every block and element that the bot sends, and some that it does not; the ids are what the tests look for. */

export const plain = (text: string) => ({ type: 'plain_text', text, emoji: true })
export const mrkdwn = (text: string) => ({ type: 'mrkdwn', text, verbatim: true })
export const option = (text: string, value = text) => ({ text: plain(text), value })
export const actions = (...elements: object[]) => ({ type: 'actions', block_id: 'row', elements })
export const input = (
  label: string,
  element: { action_id: string; [key: string]: unknown },
  more: object = {},
) => ({
  type: 'input',
  block_id: `${element.action_id}_block`,
  label: plain(label),
  element,
  ...more,
})

const durations = ['30 minutes', '1 hour', '4 hours', '24 hours', 'Until healthy', 'Until unmuted']
export const muteMenu = {
  type: 'static_select',
  action_id: 'mute_server',
  placeholder: plain('Mute'),
  options: durations.map((words, at) => option(words, `d${at}`)),
}
export const overflow = {
  type: 'overflow',
  action_id: 'more',
  options: [
    option('Add note…', 'add_note'),
    option('Drop marker…', 'drop_marker'),
    option('Hand back', 'hand_back'),
  ],
}
export const button = (text: string, actionId: string, more: object = {}) => ({
  type: 'button',
  action_id: actionId,
  text: plain(text),
  value: '42:7',
  ...more,
})

export const card = [
  {
    type: 'section',
    block_id: 'head',
    text: mrkdwn('🔴 *<https://monitor.example/alerts/42|web-1>* Load Average: last minute *3.5* (limit 3)'),
  },
  {
    type: 'context',
    block_id: 'context',
    elements: [
      mrkdwn('Started <!date^1772719200^{date_short_pretty} {time}|14:00 UTC> · role web · 4th this week'),
    ],
  },
  {
    type: 'image',
    block_id: 'chart',
    slack_file: { id: 'F00000001' },
    alt_text: 'Load Average: last minute on web-1: the metric around the time of the alert',
  },
  {
    type: 'context',
    block_id: 'state',
    elements: [mrkdwn('🔕 Muted by <@U1> until 15:00 — deploying')],
  },
  actions(
    button('Acknowledge', 'acknowledge', { style: 'primary' }),
    muteMenu,
    button('Chart', 'show_chart'),
    overflow,
  ),
]

export const texts = [
  { type: 'section', block_id: 'plain', text: plain(':rotating_light: 200 alerts are open') },
  {
    type: 'section',
    block_id: 'styles',
    text: mrkdwn(
      '*bold* _italic_ ~struck~ `code` <https://a.example/x?a=1&amp;b=2|a link> <@U2> <#C1> <!subteam^S1> <!here> :warning:\n> a quote\n• one\n• two\n```\nfor i in 1 2 3\n  echo $i\n```',
    ),
  },
  {
    type: 'section',
    block_id: 'fields',
    fields: ['*Server*\nweb-1', '*Role*\nweb', '*Value*\n3.5', '*Since*\n14:00'].map(mrkdwn),
  },
  { type: 'divider', block_id: 'divider' },
  {
    type: 'image',
    block_id: 'gone',
    image_url: 'http://10.0.0.1/x.png',
    alt_text: 'a picture that is private',
  },
  { type: 'hologram', block_id: 'future', depth: 3, text: plain('<b>not known</b>') },
]

export const inputs = [
  input(
    'Reason',
    {
      type: 'plain_text_input',
      action_id: 'reason',
      max_length: 40,
      placeholder: plain('Type here'),
    },
    { hint: plain('Shown to all') },
  ),
  input('Notes', { type: 'plain_text_input', action_id: 'notes', multiline: true }, { optional: true }),
  input('Duration', {
    type: 'static_select',
    action_id: 'duration',
    options: ['30 minutes', '1 hour', '1 day'].map((one) => option(one)),
    initial_option: option('1 hour'),
  }),
  input(
    'Roles',
    { type: 'multi_external_select', action_id: 'roles', min_query_length: 0 },
    { optional: true },
  ),
  input('Server', { type: 'multi_external_select', action_id: 'server', min_query_length: 2 }),
  input('Day', { type: 'datepicker', action_id: 'day' }),
]
