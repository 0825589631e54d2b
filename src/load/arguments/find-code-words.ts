import { type Launcher, launchersOf } from './launchers.ts'

/** A bare name, or a path of the system. */
const systemPath = /^(?:\/(?:usr\/(?:local\/)?)?s?bin\/)?[^/]+$/

/**
 * The positions of the words of a command that are, or name, code for a shell or an interpreter, and hold a value. The
 * first word is the program. Of programs that are not known, and of those with a path of their own, the words are data,
 * but for those after a shell or an interpreter and its option for code.
 */
export function findCodeWords(
  words: readonly string[],
  holdsValue: (word: string) => boolean,
): readonly number[] {
  const launcherCount = words.filter((word) => launchersOf(word).length > 0).length
  if (launcherCount > mostLaunchers) return placesOf(words).filter((at) => holdsValue(words[at] ?? ''))
  return sorted(ofProgram(words, holdsValue))
}

/** With more of them, each value is found. */
const mostLaunchers = 100

function ofProgram(words: readonly string[], holdsValue: (word: string) => boolean): readonly number[] {
  const [program = ''] = words
  const known = systemPath.test(program) ? launchersOf(program) : []
  if (known.length > 0) return known.flatMap((launcher) => codeOf(launcher, words, holdsValue))
  const isShellOption = (word = ''): boolean => /^-[a-z]*s$|^--shell$/i.test(word)
  const places = placesOf(words).filter((at) => !isShellOption(words[at - 1]))
  return interpreted(words, places, holdsValue).filter((at) =>
    [words[at], words[at - 1]].some((word) => word?.startsWith('-')),
  )
}

function codeOf(
  launcher: Launcher,
  words: readonly string[],
  holdsValue: (word: string) => boolean,
): readonly number[] {
  const { code, values, after, assigns, runs, risky, entrypoint } = launcher
  const begin = after
    ? words.findIndex((word, at) => after.test(word) && !values?.test(words[at - 1] ?? ''))
    : 0
  if (begin < 0) return []
  const found: number[] = []
  let left = launcher.before ?? 0
  let isCodeGiven = false
  let areOptionsOver = false
  let hasUnknown = after !== undefined
  let container: readonly string[] = []
  for (let at = begin + 1; at < words.length; at++) {
    const word = words[at] as string
    const [written = ''] = word.split('${{', 1)
    const option = written.replace(/=.*$/, '')
    if (!areOptionsOver && (/^[-+]/.test(word) || code?.test(word) || values?.test(word))) {
      if (holdsValue(word) && risky?.test(written)) found.push(at)
      else if (word === '--') {
        areOptionsOver = true
        // What comes before it is not the program.
        left = after === undefined ? left : 0
      } else if (entrypoint?.test(option)) {
        if (word === option) at++
        if (holdsValue(words[at] ?? '')) found.push(at)
        container = (words[at]?.replace(/^--\S*?=/, '') ?? '').split(/[\s"',[\]]+/).filter(Boolean)
      } else if (code?.test(word)) {
        isCodeGiven = true
        // Shells read further options before the code.
        while (runs === 'file' && /^[-+]/.test(words[at + 1] ?? '') && !holdsValue(words[at + 1] ?? ''))
          at += values?.test(words[at + 1] as string) ? 2 : 1
        if (holdsValue(words[at + 1] ?? '')) found.push(at + 1)
        at++
      } else if (values?.test(word)) {
        at++
        const next = words[at] ?? ''
        if (holdsValue(next) && risky?.test(`${word} ${next.split('${{', 1)}`)) found.push(at)
      } else if (holdsValue(word) && code?.test(option)) found.push(at)
      else if (!word.includes('=')) hasUnknown = true
    } else if (assigns && /^\w+=/.test(written)) continue
    else if (left > 0) {
      left--
      // The value could be an option, and one of them is a command.
      if (runs === 'line' && !areOptionsOver && written === '' && holdsValue(word)) found.push(at)
      if (left === 0 && container.length > 0)
        return [...found, ...ofContainer(container, words, at + 1, holdsValue)]
    } else if (runs === 'line') {
      areOptionsOver = true
      if (holdsValue(word)) found.push(at)
    } else if (runs === 'program') {
      const isOfImage = words[begin] === 'run' && launcher.before !== undefined
      if (holdsValue(word) && !isOfImage) return [...found, at]
      return [...found, ...inWords(words, at, hasUnknown, holdsValue)]
    } else if (isCodeGiven) return found
    else if (holdsValue(word)) return [...found, at]
    // It could be the value of an option that is not known.
    else if (!/^--\w[\w-]*$/.test(words[at - 1] ?? '') || /[./]/.test(word)) return found
  }
  return found
}

/** What the program of a container reads as code. Behind options that are not known, the image can be a later word. */
function ofContainer(
  program: readonly string[],
  words: readonly string[],
  begin: number,
  holdsValue: (word: string) => boolean,
): readonly number[] {
  const starts = placesOf(words)
    .slice(begin)
    .filter((at) => at === begin || words[at]?.startsWith('-'))
  return starts.flatMap((at) =>
    ofProgram([...program, ...words.slice(at)], holdsValue).map((inner) => inner + at - program.length),
  )
}

/** What a program that another one starts reads as code. Behind options that are not known, it can be any later word. */
function inWords(
  words: readonly string[],
  at: number,
  isAnywhere: boolean,
  holdsValue: (word: string) => boolean,
): readonly number[] {
  const found = ofProgram(words.slice(at), holdsValue).map((inner) => inner + at)
  return isAnywhere ? [...found, ...interpreted(words, placesOf(words).slice(at + 1), holdsValue)] : found
}

/** What shells and interpreters at these places read as code. */
function interpreted(
  words: readonly string[],
  places: readonly number[],
  holdsValue: (word: string) => boolean,
): readonly number[] {
  return places.flatMap((place) =>
    launchersOf(words[place])
      .filter(({ runs }) => runs === 'file' || runs === 'code')
      .flatMap((launcher) => codeOf(launcher, words.slice(place), holdsValue))
      .map((inner) => inner + place),
  )
}

function placesOf(words: readonly string[]): readonly number[] {
  return words.map((_, place) => place)
}

function sorted(places: readonly number[]): readonly number[] {
  return [...new Set(places)].toSorted((one, other) => one - other)
}
