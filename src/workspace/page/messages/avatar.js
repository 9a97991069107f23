/** Who wrote: a square of initials in a colour of its own, from a list that stays readable in light and dark. */
import { html } from '../html.js'

const colours = ['#1264a3', '#8a3e00', '#1f6b45', '#7a2f7d', '#a32039', '#3d4b8f']
const ofApps = 'light-dark(#1d1c1d, #4a4d55)'

/** @param {{ who: { id: string, name: string, isBot?: boolean }, size?: 'small' | 'usual' }} props */
export function Avatar({ who: { id, name, isBot = false }, size = 'usual' }) {
  const words = name.split(/[\s_-]+/).filter((word) => word !== '')
  const initials = words.map((word) => [...word][0] ?? '').slice(0, isBot ? 1 : 2)
  let sum = 0
  for (const char of id) sum = (sum * 17 + (char.codePointAt(0) ?? 0)) % 9_973
  const colour = isBot ? ofApps : colours[sum % colours.length]
  return html`
    <span class="avatar avatar-${size}" style=${{ '--face': colour }} aria-hidden="true">
      ${initials.join('').toUpperCase()}
    </span>
  `
}
