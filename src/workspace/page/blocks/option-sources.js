/**
 * Where the options of a select come from: the element itself, the bot, or the people and places of the workspace.
 *
 * @import { Fields, Spot } from './render-context.js'
 *
 * @typedef {{ key: string, label: string, description: string, fields: Fields }} Option
 * @typedef {{ label: string, options: Option[] }} Group
 *
 * @typedef {object} Source
 * @property {Option[]} start What is chosen at first.
 * @property {(query: string) => Group[] | Promise<Group[]>} groups What is offered for what was typed.
 * @property {number} [queryCharsMin] Set where the bot is asked: from how many characters on.
 * @property {(chosen: Option[]) => (string | Fields)[]} choices What the control API takes, one for each.
 */
import { startOf } from './element-state.js'
import { fieldsIn, fieldsOf, isFields, stringOf, stringsIn } from './fields.js'
import { plainTextOf } from './render-text.js'

/** What Slack takes where an external select does not say. */
const queryCharsDefault = 3

/** @type {(fields: Fields) => Option} */
function optionOf(fields) {
  return {
    key: stringOf(fields.value),
    label: plainTextOf(fields.text),
    description: plainTextOf(fields.description),
    fields,
  }
}

/** Options, or groups of them, as both elements and suggestions have them.  @type {(holder: Fields) => Group[]} */
function groupsOf(holder) {
  const groups = fieldsIn(holder.option_groups).map((group) => ({
    label: plainTextOf(group.label),
    options: fieldsIn(group.options).map(optionOf),
  }))
  const loose = fieldsIn(holder.options).map(optionOf)
  return loose.length > 0 ? [{ label: '', options: loose }, ...groups] : groups
}

/** Those whose words hold what was typed.  @type {(groups: Group[], query: string) => Group[]} */
function matching(groups, query) {
  const wanted = query.trim().toLocaleLowerCase()
  return groups
    .map(({ label, options }) => ({
      label,
      options: options.filter((option) => option.label.toLocaleLowerCase().includes(wanted)),
    }))
    .filter(({ options }) => options.length > 0)
}

/** @type {(value: unknown) => unknown[]} */
const listOf = (value) =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** @type {(element: Fields, spot: Spot, many: boolean) => Option[]} */
function startOptions(element, spot, many) {
  const [key, initial] = many
    ? ['selected_options', 'initial_options']
    : ['selected_option', 'initial_option']
  return listOf(startOf(element, spot, key, initial))
    .filter(isFields)
    .map(optionOf)
}

/** @type {(chosen: Option[]) => string[]} */
const keysOf = (chosen) => chosen.map(({ key }) => key)

/** @type {(element: Fields, spot: Spot, many: boolean) => Source} */
function staticSource(element, spot, many) {
  const groups = groupsOf(element)
  return {
    start: startOptions(element, spot, many),
    groups: (query) => matching(groups, query),
    choices: keysOf,
  }
}

/** @type {(element: Fields, spot: Spot, many: boolean) => Source} */
function externalSource(element, spot, many) {
  const { context, blockId } = spot
  const least = element.min_query_length
  return {
    start: startOptions(element, spot, many),
    queryCharsMin: typeof least === 'number' ? least : queryCharsDefault,
    groups: async (query) => {
      const told = await context.suggest({ actionId: stringOf(element.action_id), blockId }, query)
      return groupsOf(fieldsOf(told))
    },
    // Nobody but the bot knows these options, so it gets them back whole.
    choices: (chosen) => chosen.map(({ fields }) => fields),
  }
}

/**
 * @param {Fields} element
 * @param {Spot} spot
 * @param {string} noun As the keys have it: `user` in `selected_user`.
 * @param {boolean} many
 * @param {{ ids: string[], name: (id: string) => string }} offer
 * @returns {Source}
 */
function idSource(element, spot, noun, many, { ids, name }) {
  const ending = many ? 's' : ''
  const here =
    element.default_to_current_conversation === true ? (spot.context.conversation ?? undefined) : undefined
  const start = startOf(element, spot, `selected_${noun}${ending}`, `initial_${noun}${ending}`) ?? here
  const toOption = (/** @type {string} */ id) => ({ key: id, label: name(id), description: '', fields: {} })
  const groups = [{ label: '', options: ids.map(toOption) }]
  return {
    start: stringsIn(listOf(start)).map(toOption),
    groups: (query) => matching(groups, query),
    choices: keysOf,
  }
}

/**
 * The source for a select of any kind; undefined when it is no select.
 *
 * @param {Fields} element
 * @param {Spot} spot
 * @param {boolean} many
 * @returns {Source | undefined}
 */
export function sourceFor(element, spot, many) {
  const { names, directory } = spot.context
  const signed = (/** @type {string} */ sign, /** @type {string} */ name) =>
    name.startsWith(sign) ? name : `${sign}${name}`
  const userName = (/** @type {string} */ id) => signed('@', names.user(id))
  const places = directory?.conversations() ?? []
  const placeName = (/** @type {string} */ id) => {
    const isDirect = places.find((place) => place.id === id)?.kind === 'im'
    return signed(isDirect ? '@' : '#', names.channel(id))
  }
  switch (stringOf(element.type).replace(/^multi_/, '')) {
    case 'static_select':
      return staticSource(element, spot, many)
    case 'external_select':
      return externalSource(element, spot, many)
    case 'users_select':
      return idSource(element, spot, 'user', many, { ids: directory?.users() ?? [], name: userName })
    case 'channels_select': {
      const ids = places.filter(({ kind }) => kind === 'public').map(({ id }) => id)
      return idSource(element, spot, 'channel', many, { ids, name: placeName })
    }
    case 'conversations_select': {
      const wanted = stringsIn(fieldsOf(element.filter).include)
      const ids = places
        .filter(({ kind }) => wanted.length === 0 || wanted.includes(kind))
        .map(({ id }) => id)
      return idSource(element, spot, 'conversation', many, { ids, name: placeName })
    }
    default:
      return undefined
  }
}
