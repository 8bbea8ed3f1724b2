package sandbox

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// endpoint is an address outside that commands may reach, and where they find it.
type endpoint struct {
	host string // as given: a name or an address
	port int
	at   netip.Addr // in the cell
}

// maxAllowed is how many endpoints there can be: as many files as one message
// takes.
const maxAllowed = 50

// endpoints gives every host of a list of HOST:PORT an address in the cell: its
// own where it has one, else one of loopback.
func endpoints(allowed []string) ([]endpoint, error) {
	if len(allowed) > maxAllowed {
		return nil, fmt.Errorf("allow %d addresses: %d at most", len(allowed), maxAllowed)
	}
	var list []endpoint
	for i, a := range allowed {
		host, text, err := net.SplitHostPort(a)
		port, err2 := strconv.Atoi(text)
		if err != nil || err2 != nil || host == "" || strings.ContainsAny(host, " \t\n#") || port < 1 || port > 65535 {
			return nil, fmt.Errorf("allow %q: want HOST:PORT", a)
		}
		e := endpoint{host: host, port: port, at: netip.AddrFrom4([4]byte{127, 77, 0, byte(i + 1)})}
		if ip, err := netip.ParseAddr(host); err == nil {
			if e.at = ip.Unmap(); !e.at.Is4() {
				return nil, fmt.Errorf("allow %q: only addresses of IPv4, and names, can be allowed one by one", a)
			}
		}
		if strings.EqualFold(host, "localhost") {
			e.at = netip.AddrFrom4([4]byte{127, 0, 0, 1})
		}
		if same := slices.IndexFunc(list, func(o endpoint) bool { return strings.EqualFold(o.host, host) }); same >= 0 {
			e.at = list[same].at
		}
		list = append(list, e)
	}
	return list, nil
}

// hostsFile is what /etc/hosts must say for the names among the endpoints to be
// found, before what it says already.
func hostsFile(list []endpoint, before []byte) []byte {
	var text strings.Builder
	for _, e := range list {
		if _, err := netip.ParseAddr(e.host); err != nil && !strings.EqualFold(e.host, "localhost") {
			fmt.Fprintf(&text, "%s %s\n", e.at, e.host)
		}
	}
	return append([]byte(text.String()), before...)
}
