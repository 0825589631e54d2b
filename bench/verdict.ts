/** Prints how a figure compares with the most that it may be. More, or no number at all, fails the bench. */
export function verdict(name: string, ratio: number, limit: number): void {
  print(name, ratio, `limit ${limit}`, ratio <= limit)
}

/** The same for a figure that has a least value. */
export function verdictAtLeast(name: string, ratio: number, least: number): void {
  print(name, ratio, `at least ${least}`, ratio >= least)
}

function print(name: string, ratio: number, limit: string, isWithin: boolean): void {
  // `npm run bench` takes the lines that begin so.
  console.log(`ratio: ${Number(ratio.toFixed(3))} (${limit}) ${name}${isWithin ? '' : ' NOT WITHIN'}`)
  if (!isWithin) process.exitCode = 1
}
