package sandbox

// confinementHere is whether this system has tiers above supervised.
const confinementHere = true
