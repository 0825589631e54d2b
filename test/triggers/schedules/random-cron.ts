/** Numbers that are the same in every run of a test. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** A cron expression of any form that the loader takes. */
export function randomCron(random: (below: number) => number): string {
  const [minute, hour, day] = [field(random, 0, 59, []), field(random, 0, 23, []), field(random, 1, 31, [])]
  const month = field(random, 1, 12, ['jan', 'feb', 'DEC'])
  return `${minute} ${hour} ${day} ${month} ${field(random, 0, 7, ['sun', 'Mon', 'fri'])}`
}

function field(
  random: (below: number) => number,
  from: number,
  to: number,
  words: readonly string[],
): string {
  const part = (): string => {
    const [low, high] = [from + random(to - from + 1), from + random(to - from + 1)].sort((a, b) => a - b)
    const word = words[random(words.length)]
    const forms = [
      '*',
      `*/${1 + random(to - from)}`,
      `${low}-${high}`,
      `${low}-${high}/${1 + random(5)}`,
      `${low}/7`,
      ...(to === 7 ? [`0-SUN`, `${low}-7`, '7'] : []),
    ]
    return [...forms, word ?? `${low}`][random(forms.length + 1)] ?? '*'
  }
  return Array.from({ length: 1 + random(2) }, part).join(',')
}
