/**
 * Reads the app's manifest: commands, shortcuts, Home tab, scopes and events. The rest does not matter here
 * (docs/slack.md#setting-up-an-app).
 */
import { parse } from 'yaml'
import { z } from 'zod'

const words = z.string().default('')
const name = z.string().min(1)
const manifestShape = z.object({
  features: z
    .object({
      app_home: z
        .object({
          home_tab_enabled: z.boolean().default(false),
          messages_tab_enabled: z.boolean().default(true),
          messages_tab_read_only_enabled: z.boolean().default(true),
        })
        .prefault({}),
      slash_commands: z
        .array(
          z.object({
            command: z.string().regex(/^\/\S{1,31}$/, 'expected /name'),
            description: words,
            usage_hint: words,
          }),
        )
        .default([]),
      shortcuts: z
        .array(z.object({ name, type: z.enum(['message', 'global']), callback_id: name, description: words }))
        .default([]),
    })
    .prefault({}),
  oauth_config: z
    .object({
      scopes: z.object({ bot: z.array(z.string()).default([]) }).prefault({}),
    })
    .prefault({}),
  settings: z
    .object({
      event_subscriptions: z.object({ bot_events: z.array(z.string()).default([]) }).prefault({}),
    })
    .prefault({}),
})

/** Parses a manifest. Throws if the text is no YAML, and a `ZodError` if it is no manifest. */
export function parseManifest(text: string) {
  const { features, oauth_config: oauth, settings } = manifestShape.parse(parse(text))
  return {
    // An optional scope is one of these: Slack asks for none that is listed as optional alone. Nobody refuses any here.
    scopes: oauth.scopes.bot,
    botEvents: settings.event_subscriptions.bot_events,
    homeEnabled: features.app_home.home_tab_enabled,
    /** Can people write to the app? */
    isMessagesTabOpen:
      features.app_home.messages_tab_enabled && !features.app_home.messages_tab_read_only_enabled,
    commands: features.slash_commands.map(({ command, description, usage_hint: usageHint }) => ({
      command,
      ...(description === '' ? {} : { description }),
      ...(usageHint === '' ? {} : { usageHint }),
    })),
    shortcuts: features.shortcuts.map(({ name, type, callback_id: callbackId, description }) => ({
      callbackId,
      name,
      type,
      ...(description === '' ? {} : { description }),
    })),
  }
}
