/** Views as the Web API and the payloads give them. */
import type { Fields } from './fields.ts'
import type { State } from './state.ts'
import type { StateValues, View } from './views.ts'

export function tellView(state: State, view: View, values: StateValues): Fields {
  const { ask } = view
  return {
    id: view.id,
    team_id: state.team.id,
    type: ask.type,
    blocks: ask.blocks,
    private_metadata: ask.private_metadata ?? '',
    callback_id: ask.callback_id ?? '',
    external_id: ask.external_id ?? '',
    state: { values },
    hash: view.hash,
    title: ask.title ?? { type: 'plain_text', text: 'View Title', emoji: true },
    close: ask.close ?? null,
    submit: ask.submit ?? null,
    clear_on_close: ask.clear_on_close === true,
    notify_on_close: ask.notify_on_close === true,
    root_view_id: view.id,
    previous_view_id: null,
    app_id: state.appId,
    app_installed_team_id: state.team.id,
    bot_id: state.bot.botId,
  }
}
