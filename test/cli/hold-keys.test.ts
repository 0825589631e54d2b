import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { holdKeys, type KeySystem } from '../../src/cli/shared/terminal/hold-keys.ts'

/** A terminal with a keyboard, and a process that notes what happens to it. */
function terminal({ isInForeground = true, isTTY = true } = {}) {
  const story: string[] = []
  const exits = new Set<() => void>()
  const continues = new Set<() => void>()
  const listen = (set: Set<() => void>) => (listener: () => void) => {
    set.add(listener)
    return () => set.delete(listener)
  }
  const stdin = Object.assign(new PassThrough(), {
    isTTY,
    setRawMode: (isRaw: boolean) => story.push(isRaw ? 'raw' : 'as it was'),
  })
  const place = { isInForeground }
  const system: KeySystem = {
    isInForeground: () => place.isInForeground,
    raise: (signal) => story.push(signal),
    onContinue: listen(continues),
  }
  return {
    story,
    stdin,
    place,
    hold: () => holdKeys({ stdin, onExit: listen(exits) }, system),
    exit: () => exits.forEach((listener) => void listener()),
    goOn: () => continues.forEach((listener) => void listener()),
    async type(keys: string) {
      stdin.write(keys)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('what is typed is lost while the keys are held, but for Ctrl-C, and is there again afterwards', async () => {
  const { story, stdin, hold, type } = terminal()
  const letGo = hold()
  await type('hello\ry\u0003more\u0003')
  letGo()
  letGo()
  expect(story).toEqual(['raw', 'SIGINT', 'SIGINT', 'as it was'])
  await type('yes\n')
  expect(String(stdin.read())).toBe('yes\n')
})

test('the terminal is as it was when the process ends under it', () => {
  const { story, hold, exit } = terminal()
  const letGo = hold()
  exit()
  letGo()
  expect(story).toEqual(['raw', 'as it was'])
})

test.each([
  ['Ctrl-Z', '\u001a', 'SIGTSTP'],
  ['Ctrl-\\', '\u001c', 'SIGQUIT'],
])('%s leaves the terminal as it was before the process stops', async (_, key, signal) => {
  const { story, hold, type, goOn } = terminal()
  const letGo = hold()
  await type(`x${key}`)
  goOn()
  letGo()
  expect(story).toEqual(['raw', 'as it was', signal, 'raw', 'as it was'])
})

test('a process in the background holds no keys until it comes to the front', async () => {
  const { story, place, hold, goOn } = terminal({ isInForeground: false })
  const letGo = hold()
  goOn()
  expect(story).toEqual([])
  place.isInForeground = true
  goOn()
  letGo()
  expect(story).toEqual(['raw', 'as it was'])
})

test('input that is no terminal is left alone', async () => {
  const { story, stdin, hold, type } = terminal({ isTTY: false })
  hold()()
  await type('yes\n')
  expect(String(stdin.read())).toBe('yes\n')
  expect(story).toEqual([])
})
