/** How a program that runs code, or another program, reads its words. */
interface Launcher {
  /** The word after such an option is code. */
  readonly code?: RegExp
  /** The word after such an option is data. */
  readonly values?: RegExp
  /** A word that begins so is code, too. */
  readonly risky?: RegExp
  /** Its words count from the first of these on. */
  readonly after?: readonly string[]
  /** Words such as `NAME=value` come before the program. */
  readonly assigns?: true
  /** How many words come before what it runs, such as a host. */
  readonly before?: number
  /**
   * What comes then. `program`: another program with its words. `line`: the rest is a line for a shell. `code`: a
   * program text. `file`: a file with one. After a text or a file, words are data.
   */
  readonly runs: 'program' | 'line' | 'code' | 'file'
}

const containerValues =
  /^(?:-[euwvplmhca]|--(?:env|env-file|user|workdir|volume|mount|publish|name|network|label|memory|cpus|hostname|add-host|platform|detach-keys|restart))$/

/** Shells, interpreters, and programs that start others, by the last part of their paths. */
const launchers: readonly (readonly [name: RegExp, Launcher])[] = [
  [
    /^(?:r?ba|da|z|m?k|a|t?c|fi)?sh$/,
    {
      code: /^-[a-zA-Z]*c[a-zA-Z]*$|^--(?:rcfile|init-file|command)$/,
      values: /^[-+][a-zA-Z]*[oO]$/,
      runs: 'file',
    },
  ],
  [/^(?:pwsh|powershell)$/, { code: /^-(?:c|command|e|ec|encodedcommand)$/i, runs: 'file' }],
  [/^cmd$/, { code: /^\/[ck]$/i, runs: 'line' }],
  [/^(?:python|pypy)[\d.]*$/, { code: /^-[a-zA-Z]*[cm]$/, values: /^-[WX]$/, runs: 'file' }],
  [
    /^(?:node[\d.]*|nodejs|bun|tsx|ts-node)$/,
    {
      code: /^(?:-e|-p|-pe|-r|--eval|--print|--require|--import|--loader)$/,
      values: /^--env-file$/,
      runs: 'file',
    },
  ],
  [/^deno$/, { after: ['eval', 'run'], runs: 'code' }],
  [/^(?:npx|pkexec|setpriv|tini|dumb-init)$/, { runs: 'program' }],
  [/^(?:uv|poetry|pipenv|pnpm)$/, { after: ['run', 'exec'], runs: 'program' }],
  [/^(?:gosu|su-exec)$/, { before: 1, runs: 'program' }],
  [/^sg$/, { code: /^-c$/, before: 1, runs: 'line' }],
  [/^(?:perl|ruby)[\d.]*$/, { code: /^-[a-zA-Z]*[eErmM]$/, values: /^-[IFC]$/, runs: 'file' }],
  [/^php[\d.]*$/, { code: /^-[rBRE]$/, values: /^-[cdz]$/, runs: 'file' }],
  [
    /^(?:lua[\d.]*|luajit|Rscript|R|osascript|groovy|scala|julia|elixir|tclsh|expect)$/,
    { code: /^(?:-e|-E|-c|-l|--eval|--expression)$/, runs: 'file' },
  ],
  [
    /^(?:g|m|n)?awk$/,
    {
      code: /^(?:-e|-f|-E|-i|--source|--file|--exec|--include)$/,
      values: /^(?:-F|-v|--assign|--field-separator)$/,
      runs: 'code',
    },
  ],
  [/^g?sed$/, { code: /^(?:-e|-f|--expression|--file)$/, values: /^(?:-l|--line-length)$/, runs: 'code' }],
  [/^busybox$/, { runs: 'program' }],
  [
    /^env$/,
    {
      code: /^(?:-S|--split-string)$/,
      values: /^(?:-u|-C|--unset|--chdir)$/,
      assigns: true,
      runs: 'program',
    },
  ],
  [/^timeout$/, { values: /^(?:-s|-k|--signal|--kill-after)$/, before: 1, runs: 'program' }],
  [/^(?:nohup|setsid|command|exec|catchsegv|unbuffer)$/, { values: /^-a$/, runs: 'program' }],
  [/^time$/, { values: /^(?:-f|-o|--format|--output)$/, runs: 'program' }],
  [/^chrt$/, { before: 1, runs: 'program' }],
  [/^(?:nice|ionice)$/, { values: /^(?:-[ncpP]|--(?:adjustment|class|classdata))$/, runs: 'program' }],
  [/^taskset$/, { before: 1, runs: 'program' }],
  [/^stdbuf$/, { values: /^-[ioe]$/, runs: 'program' }],
  [
    /^(?:sudo|doas)$/,
    {
      values:
        /^(?:-[a-zA-Z]*[ughpCrtTUDR]|--(?:user|group|host|prompt|close-from|role|type|command-timeout|other-user|chdir|chroot))$/,
      assigns: true,
      runs: 'program',
    },
  ],
  [
    /^(?:su|runuser)$/,
    {
      code: /^(?:-[a-zA-Z]*c|--command|--session-command|-s|--shell)$/,
      values: /^-[gGw]$/,
      before: 1,
      runs: 'file',
    },
  ],
  [/^script$/, { code: /^(?:-c|--command)$/, before: 9, runs: 'line' }],
  [/^flock$/, { code: /^(?:-c|--command)$/, values: /^-[wE]$/, before: 1, runs: 'program' }],
  [/^chroot$/, { before: 1, runs: 'program' }],
  [/^(?:unshare|nsenter)$/, { values: /^-[tSGwrR]$/, runs: 'program' }],
  [/^(?:strace|ltrace)$/, { values: /^-[eopPsuaEIOX]$/, runs: 'program' }],
  [
    /^systemd-run$/,
    { values: /^(?:-[pHMuE]|--(?:unit|property|uid|gid|setenv|slice|description))$/, runs: 'program' },
  ],
  [
    /^xargs$/,
    {
      values: /^(?:-[a-zA-Z0-9]*[aEIdLnPs]|--(?:max-args|max-lines|max-procs|replace|delimiter|arg-file))$/,
      runs: 'program',
    },
  ],
  [/^parallel$/, { values: /^(?:-[jNIa]|--jobs)$/, runs: 'line' }],
  [/^watch$/, { values: /^(?:-n|--interval)$/, runs: 'line' }],
  [/^eval$/, { runs: 'line' }],
  [/^find$/, { after: ['-exec', '-execdir', '-ok', '-okdir'], runs: 'program' }],
  [/^sshpass$/, { values: /^-[fdpPe]$/, runs: 'program' }],
  [
    /^(?:auto)?ssh$/,
    {
      code: /^-F$/,
      values: /^-[BbcDEeIiJLlmOopQRSWw]$/,
      risky: /^(?:-o\s*)?(?:ProxyCommand|LocalCommand|RemoteCommand|KnownHostsCommand|Match)\b/i,
      before: 1,
      runs: 'line',
    },
  ],
  [
    /^(?:docker|podman|nerdctl|docker-compose)$/,
    { code: /^--entrypoint$/, values: containerValues, after: ['exec', 'run'], before: 1, runs: 'program' },
  ],
  [
    /^(?:kubectl|oc|crictl)$/,
    {
      values: /^(?:-[ncf]|--(?:namespace|container|context|kubeconfig|image|filename))$/,
      after: ['exec', 'run', 'debug'],
      before: 1,
      runs: 'program',
    },
  ],
]

/** Programs of the system, by name. A path of the project's own is none of them, whatever its last part is. */
function launcherOf(word: string | undefined): Launcher | undefined {
  const [, name] = /^(?:\/(?:usr\/(?:local\/)?)?s?bin\/)?([^/]+?)(?:\.exe)?$/.exec(word ?? '') ?? []
  return name === undefined ? undefined : launchers.find(([pattern]) => pattern.test(name))?.[1]
}

/**
 * The positions of the words of a command that are, or name, code for a shell or an interpreter, and hold a value. The
 * first word is the program. Words of other programs are data.
 */
export function findCodeWords(
  words: readonly string[],
  holdsValue: (word: string) => boolean,
): readonly number[] {
  const launcher = launcherOf(words[0])
  if (!launcher) return []
  const { code, values, after, assigns, runs, risky } = launcher
  const begin = after === undefined ? 0 : firstOf(words, after, values)
  if (begin < 0) return []
  const found: number[] = []
  let left = launcher.before ?? 0
  let isCodeGiven = false
  let areOptionsOver = false
  let hasUnknown = after !== undefined
  for (let at = begin + 1; at < words.length; at++) {
    const word = words[at] as string
    const [written = ''] = word.split('${{', 1)
    if (holdsValue(word) && risky?.test(written)) found.push(at)
    else if (!areOptionsOver && (word.startsWith('-') || code?.test(word) || values?.test(word))) {
      if (word === '--') {
        areOptionsOver = true
        // What comes before it is not the program.
        left = after === undefined ? left : 0
      } else if (code?.test(word)) {
        isCodeGiven = true
        // Shells read further options before the code.
        while (runs === 'file' && /^[-+]/.test(words[at + 1] ?? '') && !holdsValue(words[at + 1] ?? ''))
          at += values?.test(words[at + 1] as string) ? 2 : 1
        if (holdsValue(words[at + 1] ?? '')) found.push(at + 1)
        at++
      } else if (values?.test(word)) at++
      else if (holdsValue(word) && code?.test(written.replace(/=$/, ''))) found.push(at)
      else if (!word.includes('=')) hasUnknown = true
    } else if (assigns && /^\w+=/.test(written)) continue
    else if (left > 0) {
      left--
      // The value could be an option, and one of them is a command.
      if (runs === 'line' && !areOptionsOver && written === '' && holdsValue(word)) found.push(at)
    } else if (runs === 'line') {
      if (holdsValue(word)) found.push(at)
    } else if (runs === 'program') {
      const isOfUnknown = /^--?\w[\w-]*$/.test(words[at - 1] ?? '') && !values?.test(words[at - 1] ?? '')
      if (holdsValue(word) && words[begin] !== 'run' && !isOfUnknown) return [...found, at]
      return [...found, ...inWords(words, at, hasUnknown, holdsValue)]
    } else if (isCodeGiven) continue
    else {
      if (holdsValue(word)) found.push(at)
      return found
    }
  }
  return found
}

/** What a program that another one starts reads as code. Behind options that are not known, it can be any later word. */
function inWords(
  words: readonly string[],
  at: number,
  isAnywhere: boolean,
  holdsValue: (word: string) => boolean,
): readonly number[] {
  const places = isAnywhere ? words.map((_, place) => place).slice(at) : [at]
  const found = places.flatMap((place) => {
    const runs = launcherOf(words[place])?.runs
    if (place > at && runs !== 'file' && runs !== 'code') return []
    return findCodeWords(words.slice(place), holdsValue).map((inner) => inner + place)
  })
  return [...new Set(found)].toSorted((one, other) => one - other)
}

/** The position of the first of these words that is no value of an option. */
function firstOf(words: readonly string[], wanted: readonly string[], values: RegExp | undefined): number {
  return words.findIndex(
    (word, at) => wanted.includes(word) && !(at > 0 && values?.test(words[at - 1] ?? '')),
  )
}
