/**
 * What Slack takes as a manifest, for every part that monbot's may have: the rules of Slack's published JSON schema of
 * version 1 (github.com/slackapi/manifest-schema, schemas/manifest.schema.1.0.0.json), said in zod. Unknown keys are refused
 * there as well; the parts for hosted apps (functions, workflows, datastores and the like) are left out and so refused.
 */
import { z } from 'zod'

const text = (min: number, max: number) => z.string().min(min).max(max)
const url = (max: number) =>
  z
    .string()
    .regex(/^https?:\/\//)
    .max(max)
const unique = <Item extends z.ZodType>(item: Item, max: number) =>
  z
    .array(item)
    .max(max)
    .refine((all) => new Set(all).size === all.length, 'expected each once')
const names = unique(z.string().max(50), 100)
const scopes = z.array(z.string().max(50)).max(255)

const command = z.strictObject({
  command: text(2, 32).startsWith('/'),
  url: url(3_000).optional(),
  description: text(1, 2_000),
  usage_hint: text(1, 1_000).optional(),
  should_escape: z.boolean().optional(),
})

const shortcut = z.strictObject({
  name: text(1, 24),
  type: z.enum(['message', 'global']),
  callback_id: text(1, 255),
  description: text(1, 150),
})

const features = z.strictObject({
  app_home: z
    .strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    })
    .partial()
    .optional(),
  // The characters are not in the schema, but in the reference of the manifest and in Slack's own types.
  bot_user: z
    .strictObject({
      display_name: text(1, 80).regex(/^[a-z0-9._-]+$/),
      always_online: z.boolean().optional(),
    })
    .optional(),
  shortcuts: z.array(shortcut).min(1).max(10).optional(),
  slash_commands: z.array(command).min(1).max(50).optional(),
  unfurl_domains: unique(z.string().max(255), 5).min(1).optional(),
})

const settings = z
  .strictObject({
    allowed_ip_address_ranges: unique(z.union([z.ipv4(), z.cidrv4()]), 50).min(1),
    event_subscriptions: z
      .strictObject({ request_url: url(3_500), user_events: names, bot_events: names })
      .partial(),
    incoming_webhooks: z.strictObject({ incoming_webhooks_enabled: z.boolean().optional() }),
    interactivity: z.strictObject({
      is_enabled: z.boolean(),
      request_url: url(3_500).optional(),
      message_menu_options_url: url(3_500).optional(),
    }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.boolean(),
    is_hosted: z.boolean(),
    token_rotation_enabled: z.boolean(),
  })
  .partial()

export const manifestRules = z.strictObject({
  // The versions that there are; the schema takes any whole number.
  _metadata: z
    .strictObject({ major_version: z.literal([1, 2]), minor_version: z.int().optional() })
    .optional(),
  display_information: z.strictObject({
    name: text(1, 35),
    description: text(1, 140).optional(),
    background_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?$/)
      .optional(),
    long_description: text(175, 4_000).optional(),
  }),
  features: features.optional(),
  oauth_config: z
    .strictObject({
      redirect_urls: unique(z.string().max(2_500), 1_000),
      scopes: z
        .strictObject({ bot: scopes, user: scopes, bot_optional: scopes, user_optional: scopes })
        .partial()
        // Not in the schema: docs.slack.dev/authentication/installing-with-oauth.
        .refine(
          ({ bot = [], bot_optional: optional = [] }) => optional.every((scope) => bot.includes(scope)),
          'expected optional scopes among those of the bot',
        ),
      token_management_enabled: z.boolean(),
      pkce_enabled: z.boolean(),
    })
    .partial()
    .optional(),
  settings: settings.optional(),
})
