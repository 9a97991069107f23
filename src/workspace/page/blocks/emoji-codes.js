/** The emoji of the bot's messages, and what people answer, by Slack's codes; any other code is shown as it is. The server stores by it. */

const table = `
  red_circle 🔴  large_red_circle 🔴  large_yellow_circle 🟡  large_green_circle 🟢  large_blue_circle 🔵
  white_circle ⚪  bell 🔔  no_bell 🔕  white_check_mark ✅  x ❌  no_entry ⛔  warning ⚠️  rotating_light 🚨
  fire 🔥  eyes 👀  question ❓  hourglass_flowing_sand ⏳  alarm_clock ⏰  calendar 📅  spiral_calendar_pad 🗓️
  bar_chart 📊  round_pushpin 📍  pushpin 📌  label 🏷️  link 🔗  memo 📝  mega 📣  wrench 🔧  pager 📟
  mailbox_with_no_mail 📭  open_hands 👐  rocket 🚀  tada 🎉  +1 👍  thumbsup 👍  -1 👎  wave 👋  pray 🙏
  wastebasket 🗑️  thread 🧵  heart ❤️  smile 😄  clipboard 📋
`

/** @type {ReadonlyMap<string, string>} */
export const emoji = new Map(
  table
    .trim()
    .split(/\s\s+/)
    .map((pair) => /** @type {[string, string]} */ (pair.split(' '))),
)

/** The text with every known `:code:` as its emoji.  @type {(text: string) => string} */
export const withEmoji = (text) =>
  text.replace(/:([a-z0-9_+-]+):/g, (code, /** @type {string} */ name) => emoji.get(name) ?? code)
