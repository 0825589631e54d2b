import { describeMutatedRunbooks } from './describe-mutated-runbooks.ts'

// Every tenth node; the long test changes the others.
describeMutatedRunbooks((index) => index % 10 === 0)
