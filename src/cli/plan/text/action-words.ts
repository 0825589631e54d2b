import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import type { UsesPreview, ValuePreview } from '../../../core/preview/index.ts'
import { printableLine } from '../../../project/text/index.ts'
import { alignedTexts, type Pairs, type PlanRow } from './rows.ts'
import { valueLines, valueWords } from './words.ts'

/** Where a request over a connection goes, as its author writes it. */
export function requestWords({ connection, arguments: given }: UsesPreview): readonly string[] {
  const written = (name: string): string => {
    const value = given.find((argument) => argument.name === name)
    return value?.state === 'open' ? value.source : value === undefined ? '' : valueWords(value)
  }
  const request = [written('method') || 'GET', written('path')].filter((word) => word !== '').join(' ')
  return [`connection ${connection}`, printableLine(request)]
}

/** Such as `for an event of the hook ci, 2h at most`. */
export function listenWords({ listen, arguments: given }: UsesPreview): string {
  if (!listen) return ''
  const timeout = given.find(({ name }) => name === 'timeout')
  const most = timeout === undefined ? '' : timeout.state === 'known' ? `, ${timeout.value} at most` : ''
  return listen.callback === undefined
    ? `for an event of the hook ${listen.hook}${most}`
    : `for the callback ${listen.callback}${most}`
}

/** What a command may change, and where it runs. */
export function commandRow(
  { risk, arguments: given }: UsesPreview,
  line: (parts: readonly string[]) => string,
  measures: readonly string[],
): PlanRow {
  const on = given.find(({ name }) => name === 'on')
  const target = on && memberOf(on, 'ssh')
  const place =
    on === undefined
      ? 'this machine'
      : typeof target === 'string'
        ? target.slice(target.lastIndexOf('@') + 1)
        : `on ${valueWords(on)}`
  const text = line(['a command', risk, printableLine(place), ...measures])
  return { label: 'runs', text, isWhole: true, ...(risk === 'create' ? { color: 'yellow' } : {}) }
}

/** A member of a map, if it is known. */
function memberOf(value: ValuePreview, name: string): JsonValue | undefined {
  if (value.state === 'known') return isJsonObject(value.value) ? value.value[name] : undefined
  const member = value.state === 'open' ? value.members?.find((one) => one.name === name) : undefined
  return member?.state === 'known' ? member.value : undefined
}

/** Each argument by its name. The secrets inside a map stand below it, by their places in it. */
export function argumentPairs({ arguments: given }: UsesPreview): Pairs {
  const isInside = ({ state, name }: UsesPreview['arguments'][number]): boolean =>
    state === 'secret' && name.includes('.')
  const names = new Set(
    given.map(({ name }) => (name.includes('.') ? name.slice(0, name.indexOf('.')) : name)),
  )
  return [...names].flatMap((name) => {
    const own = given.filter((argument) => argument.name === name && !isInside(argument))
    const inside = given.filter((argument) => isInside(argument) && argument.name.startsWith(`${name}.`))
    const places = inside.map((secret) => secret.name.split('.').slice(1))
    const texts = [
      ...own.flatMap((value) => memberLines(value, places) ?? valueLines(withoutPlaces(value, places))),
      ...inside.map((secret) => `${secret.name.slice(name.length + 1)} ${valueWords(secret)}`),
    ]
    return texts.map((text, index) => [index === 0 ? name || '(all)' : '', text] as const)
  })
}

/** A map that is known in part, one line for each member. */
function memberLines(
  value: ValuePreview,
  places: readonly (readonly string[])[],
): readonly string[] | undefined {
  if (value.state !== 'open') return undefined
  const holdsSecrets = (name: string): boolean =>
    places.some((place) => place.join('.').startsWith(`${name}.`))
  const shown = value.members?.filter((member) => !(isKnownEmpty(member) && holdsSecrets(member.name)))
  return shown && alignedTexts(shown.map((member) => [member.name, valueWords(member)]))
}

function isKnownEmpty(value: ValuePreview): boolean {
  return value.state === 'known' && isJsonObject(value.value) && Object.keys(value.value).length === 0
}

/** A known map without the maps that held nothing but secrets: these stand below it. */
function withoutPlaces(value: ValuePreview, places: readonly (readonly string[])[]): ValuePreview {
  if (value.state !== 'known' || !isJsonObject(value.value)) return value
  return { ...value, value: places.reduce<JsonObject>(withoutPlace, value.value) }
}

function withoutPlace(map: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const { [name]: inner, ...others } = map
  if (!isJsonObject(inner)) return map
  const left = withoutPlace(inner, rest)
  return Object.keys(left).length === 0 ? others : { ...map, [name]: left }
}
