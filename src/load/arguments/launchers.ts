/** How a program that runs code, or another program, reads its words. */
export interface Launcher {
  /** The word after such an option is code. */
  readonly code?: RegExp
  /** The word after such an option is data. */
  readonly values?: RegExp
  /** An option that begins so, with its value, is code, too. */
  readonly risky?: RegExp
  /** The word after such an option is the program of a container, whose words come after the image. */
  readonly entrypoint?: RegExp
  /** Its words count from the first of these on. */
  readonly after?: RegExp
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

/** Shells, interpreters, and programs that start others, by name. A program with two entries reads its words both ways. */
const launchers: readonly (readonly [name: RegExp, Launcher])[] = [
  [
    /^(?:(?:r?ba|da|z|m?k|a|ya|t?c|fi|elvi|xon)?sh|nu)$/,
    {
      code: /^-[a-zA-Z]*c[a-zA-Z]*$|^--(?:rcfile|init-file|command)$/,
      values: /^[-+][a-zA-Z]*[oO]$/,
      runs: 'file',
    },
  ],
  [
    /^(?:pwsh|powershell)$/,
    { code: /^[-/]e(?:c|n\w*)?$/i, values: /^[-/](?:ep|ex|wd|w|v|o|if|of)\w*$/i, runs: 'file' },
  ],
  [/^(?:pwsh|powershell)$/, { after: /^[-/]c(?:om\w*|wa)?$/i, runs: 'line' }],
  [/^cmd$/, { code: /^\/[ck]$/i, runs: 'line' }],
  [/^i?(?:python|pypy)$/, { code: /^-[a-zA-Z]*[cm]$/, values: /^-[WX]$/, runs: 'file' }],
  [
    /^(?:node|nodejs|bun|tsx|ts-node)$/,
    {
      code: /^(?:-e|-p|-pe|-r|--eval|--print|--require|--import|--(?:experimental-)?loader)$/,
      values: /^--env-file$/,
      runs: 'file',
    },
  ],
  [/^deno$/, { after: /^(?:eval|run)$/, runs: 'code' }],
  [/^npx$/, { code: /^(?:-c|-p|--call|--package)$/, runs: 'program' }],
  [/^npm$/, { code: /^(?:-c|--call|--package)$/, after: /^(?:exec|x)$/, runs: 'program' }],
  [/^(?:pkexec|setpriv|tini|dumb-init)$/, { runs: 'program' }],
  [/^(?:uv|poetry|pipenv|pnpm)$/, { after: /^(?:run|exec)$/, runs: 'program' }],
  [/^(?:gosu|su-exec)$/, { before: 1, runs: 'program' }],
  [/^sg$/, { code: /^-c$/, before: 1, runs: 'line' }],
  [/^(?:perl|ruby)$/, { code: /^-[a-zA-Z]*[eErmM]$/, values: /^-[IFC]$/, runs: 'file' }],
  [/^php$/, { code: /^-[rBRE]$/, values: /^-[cdz]$/, runs: 'file' }],
  [
    /^(?:lua|luajit|rscript|r|osascript|groovy|scala|julia|elixir|tclsh|expect)$/,
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
  [/^(?:busy|toy)box$/, { runs: 'program' }],
  [
    /^env$/,
    {
      code: /^(?:-[a-z0]*S|--split-string)$/,
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
  [/^stdbuf$/, { values: /^(?:-[ioe]|--(?:input|output|error))$/, runs: 'program' }],
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
  [/^runuser$/, { after: /^(?:-u|--user)$/, before: 1, runs: 'program' }],
  [/^script$/, { code: /^(?:-c|--command)$/, before: 9, runs: 'line' }],
  [/^flock$/, { code: /^(?:-c|--command)$/, values: /^-[wE]$/, before: 1, runs: 'program' }],
  [/^chroot$/, { before: 1, runs: 'program' }],
  [/^unshare$/, { values: /^-[SGRw]$/, runs: 'program' }],
  [/^nsenter$/, { values: /^(?:-[tSG]|--(?:target|setuid|setgid))$/, runs: 'program' }],
  [/^(?:strace|ltrace)$/, { values: /^-[eopPsuaEIOX]$/, runs: 'program' }],
  [
    /^systemd-run$/,
    {
      values:
        /^(?:-[pHMuE]|--(?:unit|property|uid|gid|setenv|slice|description|on-\w+|timer-property|working-directory|host|machine))$/,
      runs: 'program',
    },
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
  [/^find$/, { after: /^-(?:exec|ok)(?:dir)?$/, runs: 'program' }],
  [/^sshpass$/, { values: /^-[fdpPe]$/, runs: 'program' }],
  [
    /^(?:(?:auto)?ssh|rsh|slogin|mosh)$/,
    {
      code: /^-F$/,
      values: /^-[BbcDEeIiJLlmOopQRSWw]$/,
      risky:
        /^-o\s*(?:$|(?:Proxy|Local|Remote|KnownHosts)Command\b|Match\b|Include\b|(?:PKCS11|SecurityKey)Provider\b)/i,
      before: 1,
      runs: 'line',
    },
  ],
  [/^(?:pdsh|clush)$/, { values: /^-[wxlgfRtu]$/, runs: 'line' }],
  [
    /^(?:docker|podman|nerdctl|docker-compose)$/,
    {
      entrypoint: /^--entrypoint$/,
      values: containerValues,
      after: /^(?:exec|run)$/,
      before: 1,
      runs: 'program',
    },
  ],
  [
    /^(?:kubectl|oc|crictl)$/,
    {
      values: /^(?:-[ncf]|--(?:namespace|container|context|kubeconfig|image|filename))$/,
      after: /^(?:exec|run|debug)$/,
      before: 1,
      runs: 'program',
    },
  ],
]

/** How a program reads its words, by its name: the last part of its path, without a version. */
export function launchersOf(word: string | undefined): readonly Launcher[] {
  const [, name = ''] = /([^/]*?)(?:[-.]?\d[\w.-]*)?(?:\.exe)?$/.exec(word?.toLowerCase() ?? '') ?? []
  return launchers.filter(([pattern]) => pattern.test(name)).map(([, launcher]) => launcher)
}
