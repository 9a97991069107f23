/** The emoji that chat-ops messages use, by Slack's codes; a code that is not here is shown as it is. The server stores by the same table. */

const table = `
  red_circle 🔴  large_red_circle 🔴  large_orange_circle 🟠  large_yellow_circle 🟡  large_green_circle 🟢
  large_blue_circle 🔵  large_purple_circle 🟣  white_circle ⚪  black_circle ⚫  large_red_square 🟥
  large_orange_square 🟧  large_yellow_square 🟨  large_green_square 🟩  bell 🔔  no_bell 🔕  mute 🔇
  loud_sound 🔊  white_check_mark ✅  heavy_check_mark ✔️  ballot_box_with_check ☑️  x ❌  no_entry ⛔
  no_entry_sign 🚫  warning ⚠️  rotating_light 🚨  octagonal_sign 🛑  fire 🔥  boom 💥  zap ⚡  eyes 👀
  see_no_evil 🙈  question ❓  exclamation ❗  information_source ℹ️  bulb 💡  hourglass ⌛
  hourglass_flowing_sand ⏳  stopwatch ⏱️  alarm_clock ⏰  clock1 🕐  calendar 📅
  chart_with_upwards_trend 📈  chart_with_downwards_trend 📉  bar_chart 📊  triangular_flag_on_post 🚩
  round_pushpin 📍  pushpin 📌  bookmark 🔖  label 🏷️  link 🔗  memo 📝  speech_balloon 💬  mega 📣  wrench 🔧
  hammer_and_wrench 🛠️  gear ⚙️  computer 💻  desktop_computer 🖥️  floppy_disk 💾  package 📦  rocket 🚀
  robot_face 🤖  arrows_counterclockwise 🔄  repeat 🔁  arrow_up ⬆️  arrow_down ⬇️  arrow_right ➡️
  ocean 🌊  cyclone 🌀  sleeping 😴  zzz 💤  tada 🎉  +1 👍  thumbsup 👍  -1 👎  wave 👋  pray 🙏
  raised_hands 🙌  man_firefighter 👨‍🚒  lightning_cloud 🌩️  thread 🧵  ok_hand 👌  clap 👏  heart ❤️
  smile 😄  slightly_smiling_face 🙂  thinking_face 🤔  sob 😭  sweat_smile 😅  coffee ☕  sunny ☀️
  crescent_moon 🌙  star ⭐  sparkles ✨  100 💯  lock 🔒  unlock 🔓  key 🔑  shield 🛡️  bug 🐛  clipboard 📋
  date 📆  email 📧  phone ☎️  point_right 👉  point_up ☝️  arrow_left ⬅️  heavy_plus_sign ➕
  heavy_minus_sign ➖  large_blue_square 🟦  large_purple_square 🟪  white_large_square ⬜
  black_large_square ⬛  skull 💀  ghost 👻  thermometer 🌡️  cloud ☁️  snowflake ❄️  electric_plug 🔌
  battery 🔋  satellite_antenna 📡  globe_with_meridians 🌐  house 🏠  office 🏢  construction 🚧
  vertical_traffic_light 🚦  checkered_flag 🏁  wastebasket 🗑️  mag 🔍  recycle ♻️  pause_button ⏸️
  double_vertical_bar ⏸️  arrow_forward ▶️  black_square_for_stop ⏹️  ok 🆗  sos 🆘  new 🆕
  raised_hand ✋  hand ✋  muscle 💪  man-shrugging 🤷‍♂️  shrug 🤷  facepalm 🤦
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
