/** Reads the app's manifest: commands, Home tab, scopes and events. The rest does not matter here (docs/slack.md#setting-up-an-app). */
import { parse } from 'yaml'
import { z } from 'zod'

const words = z.string().default('')
const homeShape = z.object({
  home_tab_enabled: z.boolean().default(false),
  messages_tab_enabled: z.boolean().default(true),
  messages_tab_read_only_enabled: z.boolean().default(true),
})
const commandShape = z.object({
  command: z.string().regex(/^\/\S{1,31}$/, 'expected /name'),
  description: words,
  usage_hint: words,
})
const features = z.object({
  app_home: homeShape.prefault({}),
  slash_commands: z.array(commandShape).default([]),
})
const scopes = z.object({ bot: z.array(z.string()).default([]) })
const events = z.object({ bot_events: z.array(z.string()).default([]) })
const manifestShape = z.object({
  features: features.prefault({}),
  oauth_config: z.object({ scopes: scopes.prefault({}) }).prefault({}),
  settings: z.object({ event_subscriptions: events.prefault({}) }).prefault({}),
})

/** Parses a manifest. Throws if the text is no YAML, and a `ZodError` if it is no manifest. */
export function parseManifest(text: string) {
  const { features, oauth_config: oauth, settings } = manifestShape.parse(parse(text))
  const { home_tab_enabled, messages_tab_enabled, messages_tab_read_only_enabled } = features.app_home
  return {
    // An optional scope is one of these: Slack asks for none that is listed as optional alone. Nobody refuses any here.
    scopes: oauth.scopes.bot,
    botEvents: settings.event_subscriptions.bot_events,
    homeEnabled: home_tab_enabled,
    /** Can people write to the app? */
    isMessagesTabOpen: messages_tab_enabled && !messages_tab_read_only_enabled,
    commands: features.slash_commands.map(({ command, description, usage_hint: usageHint }) => ({
      command,
      ...(description === '' ? {} : { description }),
      ...(usageHint === '' ? {} : { usageHint }),
    })),
  }
}
