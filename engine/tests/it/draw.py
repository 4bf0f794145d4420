"""The draw, once more and by a stranger's hand: what docs/draw.md says, in a language's own library.

Reads lines of `event secret value present`, all but the last in hexadecimal, and writes a line for each:
the commitment, then every position.
"""
import hashlib
import sys


def commitment(event, secret):
    return hashlib.sha256(b"taquilla draw commitment 1" + event + secret).hexdigest()


def positions(event, secret, value, present):
    key = hashlib.sha256(b"taquilla draw key 1" + event + secret + value).digest()
    bits = max((present - 1).bit_length(), 8) if present else 8
    low = bits // 2
    high = bits - low

    def mix(turn, half):
        block = key + bytes([turn]) + half.to_bytes(4, "big")
        return int.from_bytes(hashlib.sha256(block).digest()[:4], "big")

    def network(number):
        a, b = number >> low, number & (1 << low) - 1
        for turn in range(10):
            if turn % 2 == 0:
                b ^= mix(turn, a) & (1 << low) - 1
            else:
                a ^= mix(turn, b) & (1 << high) - 1
        return a << low | b

    for index in range(present):
        position = network(index)
        while position >= present:
            position = network(position)
        yield position


for line in sys.stdin:
    event, secret, value, present = line.split()
    event, secret, value = bytes.fromhex(event), bytes.fromhex(secret), bytes.fromhex(value)
    print(commitment(event, secret), *positions(event, secret, value, int(present)))
