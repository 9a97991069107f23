/** A person asks the bot with a slash command (docs/slack.md#requests). */
import { z } from 'zod'
import { readArgs } from '../api/call.ts'
import { isEmpty, readContent } from '../api/content.ts'
import { answerOf, type Reply, yes } from '../api/reply.ts'
import { isFields } from '../state/fields.ts'
import { post } from '../state/speak.ts'
import { channelOf, interact, name, personOf, refuseAct, responseUrl, type Stage, typed } from './stage.ts'

export const commandShape = z.strictObject({
  user: name,
  channel: name,
  command: name,
  text: typed.optional(),
})

/** `/command text` in a channel. An answer in the acknowledgement is shown, to the asker unless it says otherwise. */
export async function command(stage: Stage, ask: z.output<typeof commandShape>): Promise<Reply> {
  const { state } = stage
  const person = personOf(stage, ask.user)
  const channel = channelOf(stage, ask.channel)
  if (!channel.members.has(person.id)) refuseAct('not_in_channel', `this person is not in ${ask.channel}`)
  const known = state.commands?.map((one) => one.command) ?? [ask.command]
  if (!/^\/\S{1,31}$/.test(ask.command) || !known.includes(ask.command)) {
    const expected = state.commands === undefined ? '/name' : known.join(', ')
    refuseAct('invalid_command', `expected ${expected}, got ${JSON.stringify(ask.command)}`)
  }
  const place = { channelId: channel.id, userId: person.id }
  const answer = await interact(stage, 'slash_command', person.id, 'slash_commands', {
    team_id: state.team.id,
    team_domain: state.team.domain,
    channel_id: channel.id,
    channel_name: { public: channel.name, private: 'privategroup', im: 'directmessage' }[channel.kind],
    user_id: person.id,
    user_name: person.name,
    command: ask.command,
    text: escaped(ask.text ?? ''),
    api_app_id: state.appId,
    is_enterprise_install: 'false',
    response_url: responseUrl(stage, 'commands', place),
    trigger_id: state.triggers.issue(person.id),
  })
  if (!isFields(answer)) return yes()
  const content = answerOf(() => readContent(state, readArgs(answer), 'post'))
  if ('error' in content) return { ...content, detail: `the bot's answer: ${content.error}` }
  const { text = '', blocks = [] } = content
  if (isEmpty(content)) return yes()
  const forWhom = answer.response_type === 'in_channel' ? {} : { onlyFor: person.id }
  return yes({ ts: post(state, { channelId: channel.id, text, blocks, ...forWhom }).ts })
}

/** Command text arrives with the three characters of markup escaped. */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
