/** One of every block and element, as a bot sends them; the ids are what the tests look for. */

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
    option('Add roles…', 'add_roles'),
    option('Drop marker…', 'drop_marker'),
    option('Note…', 'add_note'),
    option('Mute account…', 'mute_account'),
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
    text: mrkdwn(
      '🔴 *<https://monitor.example/alerts/42|Load Average on web-1>* · 3.5 — Last minute met or exceeded 3.00',
    ),
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
    alt_text: 'Load Average on web-1: the metric around the time of the alert',
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

const words = (text: string, style?: object) => ({ type: 'text', text, ...(style ? { style } : {}) })
const line = (...elements: object[]) => ({ type: 'rich_text_section', elements })
const list = (style: string, indent: number, ...items: string[]) => ({
  type: 'rich_text_list',
  style,
  indent,
  elements: items.map((item) => line(words(item))),
})
export const richText = {
  type: 'rich_text',
  block_id: 'rich',
  elements: [
    line(
      words('Bold', { bold: true }),
      words(' italic', { italic: true }),
      words(' struck', { strike: true }),
      words(' '),
      words('code', { code: true }),
      words(' '),
      { type: 'user', user_id: 'U1' },
      words(' '),
      { type: 'channel', channel_id: 'C1' },
      words(' '),
      { type: 'usergroup', usergroup_id: 'S1' },
      words(' '),
      { type: 'broadcast', range: 'here' },
      words(' '),
      { type: 'emoji', name: 'fire' },
      { type: 'emoji', name: 'custom', unicode: '1f40b' },
      words(' '),
      { type: 'link', url: 'https://monitor.example/', text: 'the monitor' },
      words(' '),
      { type: 'date', timestamp: 1_772_719_200, format: '{date_long} {time}', fallback: 'then' },
      words(' '),
      { type: 'color', value: '#1264a3' },
    ),
    list('bullet', 0, 'one'),
    list('ordered', 1, 'one a', 'one b'),
    list('bullet', 0, 'two'),
    { type: 'rich_text_quote', elements: [words('quoted\non two lines')] },
    { type: 'rich_text_preformatted', elements: [words('$ uptime\n  load average: 3.50')] },
  ],
}

export const texts = [
  { type: 'header', block_id: 'header', text: plain(':rotating_light: 200 alerts are open') },
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
    accessory: { type: 'image', slack_file: { id: 'F00000001' }, alt_text: 'a small chart' },
  },
  { type: 'divider', block_id: 'divider' },
  richText,
  {
    type: 'markdown',
    block_id: 'markdown',
    text: '## What happened\nThe **disk** of `db-1` was *full*, see [the log](https://log.example/).\n\n1. first\n2. second\n   - inner\n\n> quoted\n\n```\ndf -h\n```',
  },
  {
    type: 'table',
    block_id: 'table',
    column_settings: [{ is_wrapped: true }, { align: 'right' }],
    rows: [
      [
        { type: 'raw_text', text: 'Server' },
        { type: 'raw_text', text: 'Load' },
      ],
      [
        { type: 'raw_text', text: 'web-1' },
        { type: 'raw_number', value: 3.5, text: '3.50' },
      ],
      [
        { type: 'rich_text', elements: [line(words('db-1', { bold: true }))] },
        { type: 'raw_number', value: 12 },
      ],
    ],
  },
  {
    type: 'image',
    block_id: 'gone',
    image_url: 'http://10.0.0.1/x.png',
    alt_text: 'a picture that is private',
  },
  {
    type: 'context_actions',
    block_id: 'feedback',
    elements: [
      {
        type: 'feedback_buttons',
        action_id: 'feedback',
        positive_button: { text: plain('Good'), value: 'good' },
        negative_button: { text: plain('Bad'), value: 'bad' },
      },
      { type: 'icon_button', action_id: 'trash', icon: 'trash', text: plain('Delete') },
    ],
  },
  {
    type: 'container',
    block_id: 'container',
    title: plain('More'),
    is_collapsible: true,
    child_blocks: [{ type: 'section', text: mrkdwn('inside') }],
  },
  { type: 'hologram', block_id: 'future', depth: 3, text: plain('<b>not known</b>') },
]

const typing = { placeholder: plain('Type here') }
export const inputs = [
  { type: 'alert', block_id: 'alert', level: 'warning', text: mrkdwn('This hides *2 open alerts*.') },
  input(
    'Reason',
    { type: 'plain_text_input', action_id: 'reason', min_length: 3, max_length: 40, ...typing },
    { hint: plain('Shown to all') },
  ),
  input(
    'Notes',
    { type: 'plain_text_input', action_id: 'notes', multiline: true },
    {
      optional: true,
    },
  ),
  input('How many', { type: 'number_input', action_id: 'count', is_decimal_allowed: false, min_value: '1' }),
  input('E-mail', { type: 'email_text_input', action_id: 'email' }, { optional: true }),
  input(
    'Address',
    { type: 'url_text_input', action_id: 'address' },
    {
      optional: true,
    },
  ),
  input('Words', { type: 'rich_text_input', action_id: 'rich' }, { optional: true }),
  input('Duration', {
    type: 'static_select',
    action_id: 'duration',
    options: ['30 minutes', '1 hour'].map((one) => option(one)),
    initial_option: option('1 hour'),
  }),
  input(
    'Roles',
    {
      type: 'multi_static_select',
      action_id: 'roles',
      max_selected_items: 2,
      option_groups: [
        { label: plain('Data'), options: ['db', 'cache'].map((one) => option(one)) },
        { label: plain('Front'), options: ['web', 'edge'].map((one) => option(one)) },
      ],
    },
    { optional: true },
  ),
  input('Server', { type: 'external_select', action_id: 'server', min_query_length: 2 }),
  input('Owner', { type: 'users_select', action_id: 'owner', initial_user: 'U2' }),
  input(
    'Where',
    { type: 'conversations_select', action_id: 'where' },
    {
      optional: true,
    },
  ),
  input(
    'Also tell',
    {
      type: 'checkboxes',
      action_id: 'tell',
      options: [
        { ...option('The *channel*', 'channel'), description: plain('all of it') },
        option('Me', 'me'),
      ],
      initial_options: [option('Me', 'me')],
    },
    { optional: true },
  ),
  input('Kind', {
    type: 'radio_buttons',
    action_id: 'kind',
    options: [option('Server', 'server'), option('Account', 'account')],
  }),
  input('Day', { type: 'datepicker', action_id: 'day', initial_date: '2026-03-05' }),
  input('Time', { type: 'timepicker', action_id: 'time', timezone: 'Europe/Lisbon' }),
  input('Moment', {
    type: 'datetimepicker',
    action_id: 'moment',
    initial_date_time: 1_772_719_200,
  }),
]
