import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type Action, createActions } from 'opsbook'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { newFolder, runnerOf } from './context-with.ts'
import { isRunning, processesOf, uniqueSleep } from './processes.ts'

const [command] = createActions([], { commands: { ssh: ['*'] } }).filter(
  ({ name }) => name === 'core/command',
) as [Action]
const { run, failureOf } = runnerOf(command)

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Puts a program of the name ssh in front of the installed one. */
function useSsh(script: string): string {
  const folder = newFolder()
  writeFileSync(join(folder, 'ssh'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'ssh'), 0o755)
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
  return folder
}

/** Does with its last argument what the shell of a login does; the greeting of a server stands around it. */
const login =
  'for last; do :; done; echo Welcome; echo Banner >&2; /bin/sh -c "$last"; code=$?; echo Bye; exit $code'
const web = { ssh: 'deploy@web-01' }
const odd = ['a b', "it's", '"', '$HOME', '`id`', '$(id)', '\\', '*', '', 'é Á 🎉', 'a\nb', ';']

describe('ssh', () => {
  it('is asked for the host, by a name that is no option, and hands nothing on', async () => {
    const folder = useSsh(`printf '%s\\n' "$@" > "$(dirname "$0")/arguments"; ${login}`)
    await run({ on: { ...web, port: 2222 }, command: ['true'] })
    const words = readFileSync(join(folder, 'arguments'), 'utf8').trimEnd().split('\n')
    expect(words.slice(-7)).toEqual(['-p', '2222', '-l', 'deploy', '--', 'web-01', 'exec /bin/sh'])
    expect(words).toEqual(
      expect.arrayContaining(['-T', '-a', '-x', 'BatchMode=yes', 'ClearAllForwardings=yes']),
    )
  })

  it('carries arguments and variables as they are', async () => {
    useSsh(login)
    const output = await run({
      on: web,
      script: 'printf "%s|" "$NAME" "$TOKEN"; echo said >&2',
      env: { NAME: odd.join(' ') },
      'secret-env': { TOKEN: { secret: "it's" } },
    })
    expect(output).toEqual({ code: 0, stdout: `${odd.join(' ')}|it's|`, stderr: 'said' })
    expect(await run({ on: web, command: ['printf', '%s|', ...odd] })).toMatchObject({
      stdout: odd.map((word) => `${word}|`).join(''),
    })
  })

  it('has the key in a file of its own for the time of the login', async () => {
    const folder = useSsh(
      `while [ "$1" != -i ]; do shift; done; ls -l "$2" > "$(dirname "$0")/mode"; cp "$2" "$(dirname "$0")/key"; echo "$2" > "$(dirname "$0")/place"; ${login}`,
    )
    await run({ on: { ...web, key: { secret: 'line one\nline two' } }, command: ['true'] })
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
    expect([read('key'), read('mode').slice(0, 10)]).toEqual(['line one\nline two\n', '-rw-------'])
    expect(existsSync(read('place').trim())).toBe(false)
  })

  it('that does not reach the host has run nothing', async () => {
    useSsh('echo "ssh: connect to host web-01 port 22: Connection refused" >&2; exit 255')
    expect(await failureOf({ on: web, command: ['true'] })).toMatchObject({
      code: 'CommandNotStarted',
      notSent: true,
      message:
        'no shell answers on web-01: ssh: connect to host web-01 port 22: Connection refused; nothing was run',
    })
  })

  it('that is not installed has run nothing', async () => {
    vi.stubEnv('PATH', newFolder())
    expect(await failureOf({ on: web, command: ['true'] })).toMatchObject({
      code: 'CommandNotStarted',
      notSent: true,
      message: expect.stringContaining('ssh ENOENT'),
    })
  })

  it('that reaches no shell in time has run nothing', async () => {
    const sleep = uniqueSleep()
    useSsh(sleep)
    expect(await failureOf({ on: web, command: ['true'] }, { timeoutMs: 500 })).toMatchObject({
      code: 'ConnectTimeout',
      notSent: true,
    })
    await expect.poll(() => isRunning(sleep)).toBe(false)
  })

  it('brings the exit code 255 of a command', async () => {
    useSsh(login)
    expect(await failureOf({ on: web, script: 'exit 255' })).toMatchObject({
      code: 'CommandFailed',
      details: { status: 255 },
    })
  })

  it('that loses the connection leaves the outcome unknown', async () => {
    useSsh(login)
    const error = await failureOf({ on: web, script: 'echo half; kill -9 $PPID' })
    expect(error).toMatchObject({ code: 'ConnectionLost', notSent: false })
    expect(error.message).toContain('the connection to web-01 was lost while the script ran')
  })
})

const sshd = ['/usr/sbin/sshd', '/usr/bin/sshd'].find(existsSync)

describe('a real server', () => {
  it('runs commands, ends them, and reports their ends', async (context) => {
    if (sshd === undefined) return context.skip('no sshd is installed: apt-get install openssh-server')
    const on = await startServer(sshd)
    if (typeof on === 'string') return context.skip(`sshd does not start here: ${on}`)
    expect(
      await run({
        on,
        command: ['printf', '%s|', ...odd],
        'secret-env': { TOKEN: { secret: 'of the day' } },
      }),
    ).toEqual({ code: 0, stdout: odd.map((word) => `${word}|`).join(''), stderr: '' })
    expect(await failureOf({ on, script: 'exit 255' })).toMatchObject({ details: { status: 255 } })

    const sleep = uniqueSleep()
    const script = `trap "" HUP; ${sleep} & ${sleep}`
    const stop = new AbortController()
    const failing = failureOf({ on, script }, { signalBeforeSending: stop.signal })
    await expect.poll(() => isRunning(sleep)).toBe(true)
    stop.abort()
    expect(await failing).toMatchObject({ code: 'Cancelled', notSent: false })
    await expect.poll(() => isRunning(sleep)).toBe(false)

    const left = uniqueSleep()
    expect(await run({ on, script: `${left} & echo started` })).toMatchObject({ stdout: 'started' })
    for (const pid of processesOf(left)) process.kill(pid)

    expect(await failureOf({ on, script: 'kill -9 $PPID' })).toMatchObject({ code: 'ConnectionLost' })
    const unknown = { on: { ...on, ssh: on.ssh.replace('127.0.0.1', 'localhost') }, command: ['true'] }
    expect(await failureOf(unknown)).toMatchObject({
      code: 'CommandNotStarted',
      message: expect.stringContaining('Host key verification failed'),
    })
  })
})

/** A server on a free port of this machine, and the ssh on the PATH that knows its key as known_hosts would. */
async function startServer(program: string) {
  const folder = newFolder()
  chmodSync(folder, 0o700)
  const path = (name: string): string => join(folder, name)
  for (const name of ['host', 'user'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path(name)])
  const port = await freePort()
  const text = (name: string): string => readFileSync(path(name), 'utf8')
  writeFileSync(path('authorized'), text('user.pub'), { mode: 0o600 })
  writeFileSync(path('known'), `[127.0.0.1]:${port} ${text('host.pub')}`)
  const settings = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: path('host'),
    AuthorizedKeysFile: path('authorized'),
    PidFile: 'none',
    StrictModes: 'no',
    PermitRootLogin: 'yes',
    UsePAM: 'no',
  }
  writeFileSync(
    path('config'),
    Object.entries(settings)
      .map((pair) => `${pair.join(' ')}\n`)
      .join(''),
  )
  const server = spawn(program, ['-D', '-e', '-f', path('config')], { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void server.kill())
  let log = ''
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('close', () => resolve(false))
    server.stderr.on('data', (chunk) => {
      log += String(chunk)
      if (/Server listening/.test(log)) resolve(true)
    })
  })
  if (!isListening) return log.trim()
  useSsh(`exec /usr/bin/ssh -F none -o UserKnownHostsFile=${path('known')} -o StrictHostKeyChecking=yes "$@"`)
  return { ssh: `${userInfo().username}@127.0.0.1`, port, key: { secret: text('user') } }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
